// Running a kernel from outside: what it takes, and a launch over the CPU's threads.
#pragma once

namespace cpu {

template <class T>
struct Component {
  using type = T;
};
#define CUDA_CPU_COMPONENT(T, NAME)        \
  template <> struct Component<NAME##2> { using type = T; }; \
  template <> struct Component<NAME##3> { using type = T; }; \
  template <> struct Component<NAME##4> { using type = T; };
CUDA_CPU_COMPONENT(float, float)
CUDA_CPU_COMPONENT(double, double)
CUDA_CPU_COMPONENT(int, int)
CUDA_CPU_COMPONENT(short, short)
CUDA_CPU_COMPONENT(unsigned short, ushort)
#undef CUDA_CPU_COMPONENT

// Numpy's code of a type, such as f4; a pointer has a star before that of what it points to.
template <class T>
std::string code() {
  if constexpr (std::is_pointer_v<T>) {
    using Element = std::remove_cv_t<std::remove_pointer_t<T>>;
    return "*" + code<typename Component<Element>::type>();
  }
  const char kind = std::is_same_v<T, bool>         ? 'b'
                    : std::is_floating_point_v<T>   ? 'f'
                    : std::is_unsigned_v<T>         ? 'u'
                    : std::is_integral_v<T>         ? 'i'
                                                    : 'V';
  return kind + std::to_string(sizeof(T));
}

template <class... Args>
std::string signature(void (*)(Args...)) {
  std::string codes;
  ((codes += (codes.empty() ? "" : " ") + code<std::remove_cv_t<Args>>()), ...);
  return codes;
}

template <class... Args, size_t... I>
void call(void (*kernel)(Args...), void** arguments, std::index_sequence<I...>) {
  kernel(*static_cast<std::remove_cv_t<Args>*>(arguments[I])...);
}

inline std::string name_of(uint3 at, dim3 grid) {
  std::string name = "block " + std::to_string(at.x);
  if (grid.y * size_t(grid.z) > 1) {
    name += ", " + std::to_string(at.y) + ", " + std::to_string(at.z);
  }
  return name + ": ";
}

// Run all blocks; return what went wrong first, or nothing.
template <class... Args>
std::string launch(
    void (*kernel)(Args...), dim3 grid, dim3 threads, void** arguments, const Textures* readable,
    bool reverse) {
  struct Call {
    void (*kernel)(Args...);
    void** arguments;
  } context{kernel, arguments};
  const Body body = [](void* pointer) {
    const Call& call_of = *static_cast<Call*>(pointer);
    call(call_of.kernel, call_of.arguments, std::index_sequence_for<Args...>{});
  };
  const int64_t n_blocks = int64_t(grid.x) * grid.y * grid.z;
  std::atomic<bool> failed = false;
  std::string fault;
  std::mutex lock;
#pragma omp parallel
  {
    Block mine(threads, reverse, body, &context);
    block = &mine;
    textures = readable;
    gridDim = grid;
    blockDim = threads;
#pragma omp for schedule(dynamic, 4)
    for (int64_t i = 0; i < n_blocks; i++) {
      if (failed) continue;
      const int64_t number = reverse ? n_blocks - 1 - i : i;
      const int64_t row = number / grid.x;
      blockIdx = {unsigned(number % grid.x), unsigned(row % grid.y), unsigned(row / grid.y)};
      mine.run();
      if (mine.fault.empty()) continue;
      const std::lock_guard<std::mutex> guard(lock);
      if (!failed) fault = name_of(blockIdx, grid) + mine.fault;
      failed = true;
    }
    block = nullptr;
    textures = nullptr;
  }
  return fault;
}

}  // namespace cpu

#define CUDA_CPU_EXPORT extern "C" __attribute__((visibility("default")))
#define CUDA_CPU_KERNEL(NAME)                                                              \
  CUDA_CPU_EXPORT const char* signature_##NAME() {                                         \
    static const std::string text = cpu::signature(&::kernel_text::NAME);                                 \
    return text.c_str();                                                                   \
  }                                                                                        \
  CUDA_CPU_EXPORT const char* launch_##NAME(                                               \
      const unsigned* size, void** arguments, const cpu::Textures* textures, int reverse) { \
    static thread_local std::string fault;                                                 \
    const dim3 grid{size[0], size[1], size[2]}, threads{size[3], size[4], size[5]};        \
    fault = cpu::launch(&::kernel_text::NAME, grid, threads, arguments, textures, reverse != 0);          \
    return fault.c_str();                                                                  \
  }
#define CUDA_CPU_CONSTANT(NAME)                                  \
  CUDA_CPU_EXPORT void* constant_##NAME(uint64_t* n_bytes) {     \
    *n_bytes = sizeof(NAME);                                     \
    return (void*)&NAME;                                         \
  }
