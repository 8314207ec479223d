// Compares values with the types that a TypeScript program declares for them.
import { load } from "./machine.mjs";

/** Returns the shape of a value: its property names and their types. */
export const shape = (value) => {
  if (value === null || typeof value !== "object") return value === null ? "null" : typeof value;
  if (value instanceof Date) return "Date";
  if (Array.isArray(value)) return value.map(shape);
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, part]) => [name, shape(part)]),
  );
};

/** Returns one line for each part of a value that does not have its declared type. */
const mismatches = (checker, flags, type, value, path) => {
  const inner = (each, part, name) => mismatches(checker, flags, each, part, `${path}.${name}`);
  const expect = (holds) => (holds ? [] : [`${path}: ${JSON.stringify(value)} is not ${checker.typeToString(type)}`]);
  const is = (flag) => (type.flags & flag) !== 0;
  if (is(flags.Any | flags.Unknown)) return [];
  if (type.isUnion())
    return expect(type.types.some((each) => mismatches(checker, flags, each, value, path).length === 0));
  if (type.isStringLiteral() || type.isNumberLiteral()) return expect(value === type.value);
  if (is(flags.BooleanLiteral)) return expect(String(value) === checker.typeToString(type));
  if (is(flags.StringLike)) return expect(typeof value === "string");
  if (is(flags.NumberLike)) return expect(typeof value === "number");
  if (is(flags.Undefined | flags.Void)) return expect(value === undefined);
  if (is(flags.Null)) return expect(value === null);
  if (type.symbol?.name === "Date") return expect(value instanceof Date && !Number.isNaN(value.getTime()));
  if (value === null || typeof value !== "object" || value instanceof Date) return expect(false);
  if (checker.isArrayType(type) !== Array.isArray(value)) return expect(false);
  if (Array.isArray(value))
    return value.flatMap((part, at) => inner(checker.getTypeArguments(type)[0], part, at));
  return checker
    .getPropertiesOfType(type)
    .flatMap((member) => inner(checker.getTypeOfSymbol(member), value[member.name], member.name));
};

/** Returns a function from a value to its mismatches with the result type of an exported asynchronous function. */
export const checkOf = async (file, name, options) => {
  const { default: typescript } = await load("typescript");
  const program = typescript.createProgram([file], typescript.convertCompilerOptionsFromJson(options).options);
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const exported = checker
    .getExportsOfModule(checker.getSymbolAtLocation(source))
    .find((symbol) => symbol.name === name);
  const [signature] = checker.getTypeOfSymbolAtLocation(exported, source).getCallSignatures();
  const type = checker.getAwaitedType(signature.getReturnType());
  return (value) => mismatches(checker, typescript.TypeFlags, type, value, name);
};
