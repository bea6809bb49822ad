/** Writes the arguments of a tool and the input schema that publishes them. */

import { isRecord, jsonTypeOf, withoutUndefined } from '../../json.ts';
import type { ArgumentConfig } from '../../load/connector-config.ts';
import type { OperationModel, ParameterLocation, Schema } from '../../model/types.ts';
import type { WirePlace } from '../call-model.ts';
import { type Reporter, suggest } from '../problems.ts';
import { type Contradiction, findContradiction, hasType } from '../schema/contradiction.ts';
import { toArgumentText } from '../schema/input-parts.ts';
import { InputSchemaWriter } from '../schema/input-schema.ts';
import { droppedInWords } from '../schema/keywords.ts';
import { kindsOf } from '../schema/kinds.ts';
import { endReferences, loosenChoices } from '../schema/loosen.ts';
import { mergeAllOf } from '../schema/merge.ts';
import { propertyOf, toSchema, typesOf } from '../schema/readers.ts';
import type { RefGraph } from '../schema/refs.ts';
import { definitionOf, definitionsOf } from '../schema/walk.ts';
import { type ConfiguredArguments, fitInputSchema, type SchemaFit } from '../size-limits/index.ts';
import type { ArgumentModel } from '../types.ts';
import { toPlainText } from '../words/plain-text.ts';
import { joinSentences, toCleanText } from '../words/texts.ts';
import { toWords } from '../words/words.ts';
import type { Assignment } from './assign.ts';
import { isClearable, toClearArgument } from './clear.ts';
import { checkConfiguredSchema } from './configured-schema.ts';
import { forbiddenNamesFor, guardNamingArgument } from './dynamic-names.ts';
import { withoutEmptyText } from './non-empty.ts';
import { canBeNull } from './parameter-styles.ts';
import type { TextFinder } from './path-argument-text.ts';
import { withoutFractions } from './rules.ts';
import type { Slot } from './slots.ts';
import { checkUse, toAgreement } from './unsent-arguments.ts';

interface ArgumentPlan {
  readonly arguments: readonly ArgumentModel[];
  readonly inputSchema: Schema;
  /** The schema of all arguments if it accepts less than `inputSchema`, else null. */
  readonly whole: Schema | null;
  /** Why no arguments can be valid; null if some may be. */
  readonly contradiction: Contradiction | null;
  readonly agreements: readonly { readonly argument: string; readonly template: string }[];
  /** Names of arguments without any text. */
  readonly undescribed: readonly string[];
  /** The argument that names members to be sent as null, or null. */
  readonly clear: string | null;
}

/** The context of a tool's arguments, in addition to its operation. */
interface ArgumentContext {
  readonly toolName: string;
  /** Of the request body; null without one. */
  readonly mediaType: string | null;
  /** Names of the parameters of a place that carry a credential. */
  readonly credentialNames: (place: ParameterLocation) => readonly string[];
  readonly graph: RefGraph;
  readonly findText: TextFinder;
  readonly report: Reporter;
  readonly fit: SchemaFit;
}

/** The arguments that a model sees, and the input schema that holds them. */
export function buildArguments(
  operation: OperationModel,
  assignments: readonly Assignment[],
  { toolName, mediaType, credentialNames, graph, findText, report, fit }: ArgumentContext,
): ArgumentPlan {
  const bases = assignments.map((assignment) => baseSchema(assignment, graph, report));
  let current: Assignment | undefined;
  const writer = new InputSchemaWriter(bases, graph, (pattern, problem) => {
    if (current?.config.schema !== undefined) {
      const path = [...(current.path ?? []), 'schema'];
      report.config('config-constraint', path, `${current.name} has the pattern ${pattern}, which ${problem}.`);
    } else {
      const message = `${toolName}: ${current?.name} has the pattern ${pattern}, which ${problem}.`;
      report.descriptor('pattern-dropped', current?.slot?.pointer ?? operation.pointer, message);
    }
  });
  const clearable = new Set(assignments.filter((assignment) => isClearable(assignment, operation, graph.resolve)));
  const drafts = assignments.map((assignment, index) => {
    current = assignment;
    checkFile(assignment, report);
    const nullable = isNullable(assignment.slot) && !clearable.has(assignment);
    const argumentSchema = writer.write(bases[index] ?? {}, { nullable });
    const required = isRequired(assignment);
    const schema = configure(
      describe(argumentSchema, assignment, (slot) => findText(operation, slot), graph),
      assignment,
      report,
    );
    return { assignment, required, schema: required ? schema : withoutEmptyText(schema, assignment, operation.method) };
  });
  const names = new Set(assignments.map(({ name }) => name));
  const guardedDrafts = guardDynamicNames(drafts, operation, credentialNames, report);
  const agreements = assignments.flatMap((assignment) => toAgreement(assignment, names, report));
  checkUse(assignments, report);
  const argumentModels = sortByRank(guardedDrafts).map(
    ({ assignment, required, schema }): ArgumentModel => ({
      name: assignment.name,
      required,
      schema,
      wire: toWirePlace(assignment, mediaType),
    }),
  );
  const clear = toClearArgument(
    [...clearable].map(({ name }) => name),
    names,
  );
  if (clear !== null) argumentModels.push(clear);
  const whole = endReferences(toInputSchema(argumentModels, writer.definitions()), writer.loosened);
  loosenChoices(whole, writer.loosened);
  const schema = withoutFractions(whole);
  const contradiction = findContradiction(schema);
  const { schema: inputSchema, isOpened } = fitInputSchema(schema, toConfigured(assignments), {
    tool: toolName,
    pointer: operation.pointer,
    report,
    fit,
  });
  const args = argumentModels.map((argument) => ({ ...argument, schema: withDefinition(inputSchema, argument.name) }));
  return {
    arguments: args,
    inputSchema,
    whole: isOpened || whole !== schema ? whole : null,
    contradiction,
    agreements,
    clear: clear?.name ?? null,
    undescribed: args.filter(({ schema }) => schema.description === undefined).map(({ name }) => name),
  };
}

function toConfigured(assignments: readonly Assignment[]): ConfiguredArguments {
  const namesWhere = (decides: (assignment: Assignment) => boolean) =>
    new Set(assignments.filter(decides).map(({ name }) => name));
  return {
    texts: namesWhere(({ config }) => config.description !== undefined),
    schemas: namesWhere(({ config }) => config.schema !== undefined || config.enum !== undefined),
  };
}

/** Only values that are not sent, body members and JSON documents can be `null`. */
function isNullable(slot: Slot | null): boolean {
  if (slot === null) return true;
  return slot.parameter === null ? slot.nullable : canBeNull(slot.parameter);
}

/** The schema of an argument with its definition written out, so that its type and description are known. */
function withDefinition(inputSchema: Schema, argument: string): Schema {
  const schema = propertyOf(inputSchema, argument) ?? {};
  const body = definitionsOf(inputSchema).get(definitionOf(schema) ?? '');
  if (body === undefined) return schema;
  const { $ref: _, ...siblings } = schema;
  return { ...body, ...siblings };
}

interface ArgumentDraft {
  readonly assignment: Assignment;
  readonly required: boolean;
  readonly schema: Schema;
}

function toInputSchema(args: readonly ArgumentModel[], definitions: Schema | null): Schema {
  return withoutUndefined({
    type: 'object',
    properties: Object.fromEntries(args.map(({ name, schema }) => [name, schema])),
    required: args.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
    $defs: definitions ?? undefined,
  });
}

function sortByRank(drafts: readonly ArgumentDraft[]): readonly ArgumentDraft[] {
  const rank = ({ assignment, required }: ArgumentDraft) => {
    if (assignment.slot?.in === 'path') return 0;
    return required ? 1 : 2;
  };
  return drafts.toSorted((a, b) => rank(a) - rank(b));
}

function isRequired({ slot, key, config }: Assignment): boolean {
  if (config.required === true) return true;
  return slot !== null && key === null && slot.required;
}

function toWirePlace({ slot, key }: Assignment, mediaType: string | null): WirePlace | null {
  if (slot === null || key !== null) return null;
  if (slot.in === 'body') return mediaType === null ? null : { in: 'body', mediaType, name: slot.name };
  return slot.name === null ? null : { in: slot.in, name: slot.name };
}

function baseSchema({ slot, key, config, path }: Assignment, graph: RefGraph, report: Reporter): Schema {
  if (config.schema !== undefined) {
    return checkConfiguredSchema(config.schema, [...(path ?? []), 'schema'], graph, report);
  }
  if (slot === null) return { type: 'string' };
  return key === null
    ? slot.schema
    : entrySchema(slot, key, graph, (message, fix) =>
        report.config('config-wire-unknown', [...(path ?? []), 'wire'], message, fix),
      );
}

/** Schema of one member of an object parameter. */
function entrySchema(
  slot: Slot,
  key: NonNullable<Assignment['key']>,
  graph: RefGraph,
  report: (message: string, fix: string) => void,
): Schema {
  if (!kindsOf(slot.schema, graph.resolve).has('object')) {
    report(`${slot.in}.${slot.name} is not an object: it has no keys.`, 'Leave out the brackets.');
  }
  const { schema } = mergeAllOf(slot.schema, graph.resolve);
  const declared = 'constant' in key ? propertyOf(schema, key.constant) : null;
  if (declared !== null) return declared;
  const additional = schema.additionalProperties;
  return isRecord(additional) && Object.keys(additional).length > 0 ? toSchema(additional) : { type: 'string' };
}

/** The schema with the first description found: of the parameter, of its schema, from elsewhere. */
function describe(
  schema: Schema,
  { slot, key, config }: Assignment,
  findText: (slot: Slot) => string,
  graph: RefGraph,
): Schema {
  if (slot === null || key !== null) return schema;
  const parameterText = toPlainText(slot.description);
  const { schema: merged } = mergeAllOf(slot.schema, graph.resolve);
  const text =
    parameterText === '' && !slot.deprecated
      ? toText(schema)
      : toArgumentText({ description: parameterText || merged.description, deprecated: slot.deprecated });
  const notes = parameterText === '' ? '' : droppedInWords(merged);
  const wire = slot.name !== null && toWords(slot.name).length === 0 ? `Sent as ${slot.name}.` : '';
  const mainText = text === '' && config.description === undefined ? findText(slot) : text;
  const fullText = notes === '' && wire === '' ? mainText : joinSentences(mainText, notes, wire);
  return fullText === '' ? schema : { ...schema, description: fullText };
}

/** The gateway must be able to read the schema of a file argument. */
function checkFile({ name, slot, key, config, path }: Assignment, report: Reporter): void {
  if (slot?.isFile !== true || key !== null) return;
  for (const keyword of ['schema', 'type', 'enum'] as const) {
    if (config[keyword] === undefined) continue;
    const message = `${name} is a file: what it looks like cannot be changed.`;
    report.config('config-constraint', [...(path ?? []), keyword], message, `Remove ${keyword}.`);
  }
}

function toText(schema: Schema): string {
  return typeof schema.description === 'string' ? schema.description : '';
}

const CONSTRAINTS: readonly (readonly [keyof ArgumentConfig, readonly string[] | null])[] = [
  ['type', null],
  ['enum', null],
  ['format', ['string']],
  ['pattern', ['string']],
  ['minLength', ['string']],
  ['maxLength', ['string']],
  ['minimum', ['number', 'integer']],
  ['maximum', ['number', 'integer']],
  ['minItems', ['array']],
  ['maxItems', ['array']],
  ['default', null],
  ['examples', null],
];

const ORDER: readonly string[] = ['type', '$ref', 'description'];

/** The schema with the description and constraints of connector.yaml. */
function configure(schema: Schema, { name, config, path }: Assignment, report: Reporter): Schema {
  const result: Record<string, unknown> = { ...schema };
  if (config.description !== undefined) result.description = toCleanText(config.description);
  const types = config.type === undefined ? typesOf(schema) : [config.type].flat();
  for (const [keyword, allowedTypes] of CONSTRAINTS) {
    const value = config[keyword];
    if (value === undefined) continue;
    if (allowedTypes !== null && types.length > 0 && !types.some((type) => allowedTypes.includes(type))) {
      report.config(
        'config-constraint',
        [...(path ?? []), keyword],
        `${name} is ${types.join(' or ')}: ${keyword} says nothing about it.`,
      );
    }
    const values = keyword === 'enum' ? (config.enum ?? []) : keyword === 'default' ? [value] : [];
    const wrong = types.length === 0 ? undefined : values.find((one) => !hasType(types, jsonTypeOf(one)));
    if (wrong !== undefined) {
      const message = `${name} is ${types.join(' or ')}, and ${JSON.stringify(wrong)} is not.`;
      report.config('config-constraint', [...(path ?? []), keyword], message);
    }
    result[keyword] = value;
  }
  if (config.type !== undefined && types.includes('array') && result.items === undefined) result.items = {};
  const leadingKeywords = ORDER.filter((keyword) => Object.hasOwn(result, keyword)).map((keyword) => [
    keyword,
    result[keyword],
  ]);
  return { ...Object.fromEntries(leadingKeywords), ...result };
}

function guardDynamicNames(
  drafts: readonly ArgumentDraft[],
  operation: OperationModel,
  credentialNames: (place: ParameterLocation) => readonly string[],
  report: Reporter,
): readonly ArgumentDraft[] {
  const assignments = drafts.map(({ assignment }) => assignment);
  const forbiddenByArgument = new Map<string, readonly string[]>();
  for (const { name, slot, key, path } of assignments) {
    if (slot === null || key === null || !('argument' in key)) continue;
    const namingArgument = assignments.find((other) => other.name === key.argument);
    if (namingArgument === undefined || namingArgument.slot !== null) {
      const unsent = assignments.filter((other) => other.slot === null).map((other) => other.name);
      report.config(
        'config-dynamic-name',
        [...(path ?? []), 'wire'],
        namingArgument === undefined
          ? `${name} is named by {${key.argument}}, which is no argument of the tool.`
          : `${name} is named by ${key.argument}, which is sent itself.`,
        suggest(key.argument, unsent, `Declare ${key.argument} with \`sent: false\`.`),
      );
      continue;
    }
    const forbiddenNames = forbiddenNamesFor(slot, operation, credentialNames, assignments);
    forbiddenByArgument.set(key.argument, [...(forbiddenByArgument.get(key.argument) ?? []), ...forbiddenNames]);
  }
  return drafts.map((draft) => {
    const forbiddenNames = forbiddenByArgument.get(draft.assignment.name);
    if (forbiddenNames === undefined) return draft;
    const { assignment, required, schema } = draft;
    const namingArgument = { name: assignment.name, required, schema, path: assignment.path ?? [] };
    return { ...draft, schema: guardNamingArgument(namingArgument, forbiddenNames, report) };
  });
}
