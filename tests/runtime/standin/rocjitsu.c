/* In place of rocjitsu's library, by whose name it is known: emulates nothing. */
extern const int standin_rocjitsu;
const int standin_rocjitsu = 1;
