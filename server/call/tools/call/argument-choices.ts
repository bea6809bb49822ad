/** Errors of choices (`anyOf`, `oneOf`): which alternative a value means, so that only its errors are shown. */

import type { JsonSchema, ObjectSchema } from '../../../contract/index.ts';
import { typeOfArgument } from '../argument-numbers.ts';
import { allowsType, asSchemas, isObject, isSchema, resolve } from '../json.ts';
import type { ErrorObject } from '../validate.ts';

/**
 * Drops the errors of alternatives that the caller did not mean: of a choice whose form the value shows, the errors of that form are left, of any
 * other the choice itself.
 */
export function withoutAlternatives(problems: readonly ErrorObject[], root: ObjectSchema): ErrorObject[] {
  const choices = problems.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf');
  const outerChoices = choices.filter(
    (choice) => !choices.some((outer) => outer !== choice && isInside(choice, outer)),
  );
  const outside = problems.filter(
    (problem) =>
      problem.keyword !== 'if' &&
      (outerChoices.includes(problem) || !outerChoices.some((choice) => isInside(problem, choice))),
  );
  return outside.flatMap((problem) => {
    if (!outerChoices.includes(problem)) return [problem];
    const index = findIntendedBranch(problem, root);
    if (index === null) return [problem];
    const branchProblems = problems.filter((inner) => inner !== problem && isOfBranch(inner, problem, index));
    return branchProblems.length === 0 ? [problem] : withoutAlternatives(branchProblems, root);
  });
}

/** True for an error of an alternative. Errors of a schema behind a `$ref` have that schema's path, so only their place ties them to the choice. */
function isInside(problem: ErrorObject, choice: ErrorObject): boolean {
  if (problem === choice) return false;
  if (problem.schemaPath.startsWith(`${choice.schemaPath}/`)) return true;
  return problem.schemaPath.startsWith('#/$defs') && isAtOrBelow(problem.instancePath, choice.instancePath);
}

function isOfBranch(problem: ErrorObject, choice: ErrorObject, index: number): boolean {
  if (problem.schemaPath.startsWith(`${choice.schemaPath}/${index}/`)) return true;
  const branch = asSchemas((choice.parentSchema as JsonSchema)[choice.keyword])[index];
  const { $ref: reference } = branch ?? {};
  return (
    typeof reference === 'string' &&
    problem.schemaPath.startsWith(`${reference}/`) &&
    isAtOrBelow(problem.instancePath, choice.instancePath)
  );
}

function isAtOrBelow(pointer: string, parent: string): boolean {
  return pointer === parent || pointer.startsWith(`${parent}/`);
}

/** The alternatives of a choice, as they are behind a `$ref`. */
export function branchesOf({ keyword, parentSchema }: ErrorObject, root: ObjectSchema): JsonSchema[] {
  return asSchemas((parentSchema as JsonSchema)[keyword]).map((branch) => resolve(root, branch));
}

/**
 * Returns the index of the alternative that a value means: the only one of its type, and of those the only one whose fixed members the value has.
 * Null if it may mean several, or none.
 */
function findIntendedBranch(choice: ErrorObject, root: ObjectSchema): number | null {
  const branches = branchesOf(choice, root);
  const ofType = [...branches.keys()].filter((index) => acceptsType(root, branches[index] ?? {}, choice.data));
  if (ofType.length <= 1) return ofType[0] ?? null;
  const { data } = choice;
  if (!isObject(data)) return null;
  const fitting = ofType.filter((index) => {
    const fixed = Object.entries(fixedMembersOf(branches[index] ?? {}));
    return (
      fixed.length > 0 && fixed.every(([name, values]) => Object.hasOwn(data, name) && values.includes(data[name]))
    );
  });
  return fitting.length === 1 ? (fitting[0] ?? null) : null;
}

/** Whole numbers and others count as one type: a caller who sends either means a number. */
function acceptsType(root: ObjectSchema, schema: JsonSchema, value: unknown): boolean {
  const type = typeOfArgument(value);
  const types = type === 'integer' || type === 'number' ? ['integer', 'number'] : [type];
  return types.some((name) => allowsType(root, schema, name));
}

/** The values of members that have only some values, by name. */
function fixedMembersOf({ properties }: JsonSchema): Readonly<Record<string, readonly unknown[]>> {
  const members = isSchema(properties) ? Object.entries(properties) : [];
  return Object.fromEntries(
    members.flatMap(([name, member]) => {
      if (!isSchema(member)) return [];
      if ('const' in member) return [[name, [member.const]] as const];
      return Array.isArray(member.enum) ? [[name, member.enum as readonly unknown[]] as const] : [];
    }),
  );
}

/** The member that chooses the alternative, with its values: every alternative fixes it. Null if there is none, or the value is no object. */
export function findDiscriminator(
  choice: ErrorObject,
  root: ObjectSchema,
): { name: string; values: readonly unknown[] } | null {
  const fixed = branchesOf(choice, root).map(fixedMembersOf);
  const [first] = fixed;
  if (first === undefined || !isObject(choice.data)) return null;
  const name = Object.keys(first).find((member) => fixed.every((members) => Object.hasOwn(members, member)));
  return name === undefined ? null : { name, values: [...new Set(fixed.flatMap((members) => members[name] ?? []))] };
}
