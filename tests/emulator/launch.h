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

// Run all blocks; return what went wrong first, or nothing.
template <class... Args>
std::string launch(
    void (*kernel)(Args...), unsigned n_blocks, unsigned n_threads, void** arguments,
    bool reverse) {
  struct Call {
    void (*kernel)(Args...);
    void** arguments;
  } context{kernel, arguments};
  const Body body = [](void* pointer) {
    const Call& call_of = *static_cast<Call*>(pointer);
    call(call_of.kernel, call_of.arguments, std::index_sequence_for<Args...>{});
  };
  std::atomic<bool> failed = false;
  std::string fault;
  std::mutex lock;
#pragma omp parallel
  {
    Block mine({n_threads, 1, 1}, reverse, body, &context);
    block = &mine;
    gridDim = {n_blocks, 1, 1};
    blockDim = {n_threads, 1, 1};
#pragma omp for schedule(dynamic, 4)
    for (long i = 0; i < long(n_blocks); i++) {
      if (failed) continue;
      const unsigned number = unsigned(reverse ? n_blocks - 1 - i : i);
      blockIdx = {number, 0, 0};
      mine.run();
      if (mine.fault.empty()) continue;
      const std::lock_guard<std::mutex> guard(lock);
      if (!failed) fault = "block " + std::to_string(number) + ": " + mine.fault;
      failed = true;
    }
    block = nullptr;
  }
  return fault;
}

}  // namespace cpu

#define CUDA_CPU_EXPORT extern "C" __attribute__((visibility("default")))
#define CUDA_CPU_KERNEL(NAME)                                                              \
  CUDA_CPU_EXPORT const char* signature_##NAME() {                                         \
    static const std::string text = cpu::signature(&NAME);                                 \
    return text.c_str();                                                                   \
  }                                                                                        \
  CUDA_CPU_EXPORT const char* launch_##NAME(                                               \
      unsigned n_blocks, unsigned n_threads, void** arguments, int reverse) {              \
    static thread_local std::string fault;                                                 \
    fault = cpu::launch(&NAME, n_blocks, n_threads, arguments, reverse != 0);              \
    return fault.c_str();                                                                  \
  }
