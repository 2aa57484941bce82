/* HT_ADDRESS_SANITIZED: 1 when this is compiled with AddressSanitizer, 0 when not. */
#ifndef HT_BASE_SANITIZER_H
#define HT_BASE_SANITIZER_H

#if defined(__SANITIZE_ADDRESS__)
#define HT_ADDRESS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HT_ADDRESS_SANITIZED 1
#endif
#endif
#ifndef HT_ADDRESS_SANITIZED
#define HT_ADDRESS_SANITIZED 0
#endif

#endif
