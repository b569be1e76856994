// Exported functions of a kernel: its arguments, and a launch.
#pragma once

namespace cpu {

// Letter of NumPy for a kind of number.
template <class T>
constexpr char kind = 'V';
#define CUDA_CPU_KIND(T, LETTER) \
  template <>                    \
  inline constexpr char kind<T> = LETTER;
CUDA_CPU_KIND(bool, 'b')
CUDA_CPU_KIND(float, 'f')
CUDA_CPU_KIND(double, 'f')
CUDA_CPU_KIND(char, 'i')
CUDA_CPU_KIND(signed char, 'i')
CUDA_CPU_KIND(short, 'i')
CUDA_CPU_KIND(int, 'i')
CUDA_CPU_KIND(long, 'i')
CUDA_CPU_KIND(long long, 'i')
CUDA_CPU_KIND(unsigned char, 'u')
CUDA_CPU_KIND(unsigned short, 'u')
CUDA_CPU_KIND(unsigned, 'u')
CUDA_CPU_KIND(unsigned long, 'u')
CUDA_CPU_KIND(unsigned long long, 'u')
#undef CUDA_CPU_KIND

// Code of a type in NumPy, for example f4, followed by a space.
struct Code {
  char star, kind, size, space;
};

template <class T>
struct CodeOf {
  static_assert(sizeof(T) < 10);
  static constexpr Code code = {' ', kind<T>, '0' + sizeof(T), ' '};
};
template <class T>
struct CodeOf<const T> : CodeOf<T> {};
#define CUDA_CPU_COMPONENTS(T, NAME)         \
  template <>                                \
  struct CodeOf<NAME##2> : CodeOf<T> {};     \
  template <>                                \
  struct CodeOf<NAME##3> : CodeOf<T> {};     \
  template <>                                \
  struct CodeOf<NAME##4> : CodeOf<T> {};
CUDA_CPU_VECTORS(CUDA_CPU_COMPONENTS)
#undef CUDA_CPU_COMPONENTS
// The code of a pointer is a star and the code of its elements.
template <class T>
struct CodeOf<T*> {
  static constexpr Code code = {'*', CodeOf<T>::code.kind, CodeOf<T>::code.size, ' '};
};

template <size_t...>
struct Places {};

template <auto kernel>
struct Entry;

template <class... Args, void (*kernel)(Args...)>
struct Entry<kernel> {
  static constexpr Code signature[] = {CodeOf<Args>::code..., {}};

  static void run(void** arguments) {
    call(arguments, Places<__integer_pack(sizeof...(Args))...>());
  }

  template <size_t... I>
  static void call(void** arguments, Places<I...>) {
    kernel(*static_cast<Args*>(arguments[I])...);
  }
};

}  // namespace cpu

#define CUDA_CPU_EXPORT extern "C" __attribute__((visibility("default")))
#define CUDA_CPU_KERNEL(NAME)                                                               \
  CUDA_CPU_EXPORT const char* signature_##NAME() {                                          \
    return &cpu::Entry<&::kernel_text::NAME>::signature[0].star;                             \
  }                                                                                         \
  CUDA_CPU_EXPORT const char* launch_##NAME(                                                \
      const unsigned* size, void** arguments, const cpu::Textures* textures, int reverse) { \
    return cpu::launch(                                                                     \
        cpu::Entry<&::kernel_text::NAME>::run, size, arguments, textures, reverse);          \
  }
#define CUDA_CPU_CONSTANT(NAME)                              \
  CUDA_CPU_EXPORT void* constant_##NAME(uint64_t* n_bytes) { \
    *n_bytes = sizeof(NAME);                                 \
    return (void*)&NAME;                                     \
  }
