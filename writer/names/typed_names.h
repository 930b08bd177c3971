// Typed names: spellings of a class's name that look similar and must not be confused.
//
//   InternalName   in class files and inside the JVM       java/lang/String    a/B$$Lambda.0x01
//   Descriptor     of a type; JVMTI calls it a signature   Ljava/lang/String;  La/B$$Lambda.0x01;  [I
//   BinaryName     Class.getName()'s                       java.lang.String    a.B$$Lambda/0x01    [I
//   ProfileName    a BinaryName in plain UTF-8, as a profile holds it
//   MethodKey      a method by its class's InternalName    java/lang/Object.wait(J)V
//
// All but MethodKey are views: the text must outlive them. Texts from the JVM are modified UTF-8.
// Names are not checked for being well-formed.
//
// Guarantees: values without global state. Threads: any. Failure: none; a MethodKey may throw
// std::bad_alloc.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace iprof {

template <typename Kind>
class TypedName {
 public:
  constexpr TypedName() = default;
  explicit constexpr TypedName(std::string_view text) : text_(text) {}
  constexpr std::string_view text() const { return text_; }
  constexpr bool empty() const { return text_.empty(); }
  friend constexpr auto operator<=>(const TypedName&, const TypedName&) = default;

 private:
  std::string_view text_;
};

class InternalName : public TypedName<InternalName> {
 public:
  using TypedName::TypedName;
};

class BinaryName : public TypedName<BinaryName> {
 public:
  using TypedName::TypedName;
};

class ProfileName : public TypedName<ProfileName> {
 public:
  using TypedName::TypedName;
};

class Descriptor : public TypedName<Descriptor> {
 public:
  using TypedName::TypedName;
  // "L…;": a class or an interface, not an array or a primitive type.
  constexpr bool IsClass() const {
    return text().size() > 2 && text().front() == 'L' && text().back() == ';';
  }
  // Empty if it is not a class.
  constexpr InternalName ClassName() const {
    return IsClass() ? InternalName(text().substr(1, text().size() - 2)) : InternalName();
  }
};

class MethodKey {
 public:
  MethodKey(InternalName owner, std::string_view name, std::string_view descriptor) {
    text_.reserve(owner.text().size() + name.size() + descriptor.size() + 1);
    text_.append(owner.text()).append(".").append(name).append(descriptor);
  }
  const std::string& text() const& { return text_; }
  std::string text() && { return std::move(text_); }
  friend bool operator==(const MethodKey&, const MethodKey&) = default;

 private:
  std::string text_;
};

}  // namespace iprof

template <>
struct std::hash<iprof::MethodKey> {
  size_t operator()(const iprof::MethodKey& key) const {
    return std::hash<std::string>()(key.text());
  }
};
