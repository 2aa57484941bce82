# ht_embed(TARGET SYMBOL FILE): links FILE's bytes into TARGET as `const char SYMBOL[]` (a NUL follows the last byte) and
# `const unsigned long SYMBOL_size`.
function(ht_embed target symbol file)
  get_filename_component(path "${file}" ABSOLUTE)
  set(generated "${CMAKE_CURRENT_BINARY_DIR}/embed_${symbol}.S")
  set(text ".section .rodata\n.globl ${symbol}\n${symbol}:\n.incbin \"${path}\"\n1: .byte 0\n")
  string(APPEND text ".globl ${symbol}_size\n.balign 8\n${symbol}_size: .quad 1b - ${symbol}\n")
  string(APPEND text ".section .note.GNU-stack,\"\",%progbits\n")
  file(GENERATE OUTPUT "${generated}" CONTENT "${text}")
  set_source_files_properties("${generated}" PROPERTIES OBJECT_DEPENDS "${path}" GENERATED TRUE)
  target_sources(${target} PRIVATE "${generated}")
endfunction()
