// Overloaded: several lambdas as one visitor of a std::variant.
//
// Guarantees: as the lambdas. Threads: any. Failure: as the lambdas.
#pragma once

namespace iprof {

template <typename... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <typename... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

}  // namespace iprof
