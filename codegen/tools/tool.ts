/** Builds one tool: converts an operation and our decisions about it to a name, texts, schemas and a call. */

import { charsOf, withoutUndefined } from '../json.ts';
import { WAS_NOT_READ } from '../load/openapi/types.ts';
import type { OperationModel } from '../model/types.ts';
import { toChoiceText } from './body/choice-texts.ts';
import type { BodyPlan } from './body/context.ts';
import { type PlannedTool, toNotExposed } from './connector/exposure.ts';
import { buildFilters } from './connector/filters.ts';
import { addGatewayArguments } from './connector/gateway-arguments.ts';
import { toOldNames } from './connector/old-names.ts';
import { operationKey } from './connector/tool-names.ts';
import { toWait, withWait } from './connector/verify.ts';
import type { Assignment } from './request/assign.ts';
import { buildCall } from './request/call.ts';
import type { Contradiction } from './schema/contradiction.ts';
import { TooLargeError } from './schema/meter.ts';
import { buildAnswer } from './tool-answer.ts';
import { planArguments, type ToolArguments } from './tool-arguments.ts';
import type { ToolContext } from './tool-context.ts';
import { reportTexts } from './tool-diagnostics.ts';
import type { ArgumentModel, ConnectorModel, ToolModel } from './types.ts';
import { MAX_TOOL_DESCRIPTION_CHARS, toShortText } from './words/texts.ts';
import { toBareDescription, toDefaultDescription, toDefaultTitle } from './words/tool-texts.ts';

type NotExposed = ConnectorModel['notExposed'][number];

/**
 * The tool of an operation, or why it has none. Only an operation that is too large itself loses its tool.
 *
 * @throws {Error} with the operation in its message, for a defect of codegen
 */
export function buildWithinBounds(planned: PlannedTool, context: ToolContext): ToolModel | NotExposed {
  const { operation } = planned;
  try {
    return buildTool(planned, context);
  } catch (error) {
    const where = describeOperation(operation);
    if (!(error instanceof TooLargeError || error instanceof RangeError))
      throw new Error(`At ${where}`, { cause: error });
    const reason = error instanceof TooLargeError ? error.message : 'nests its schemas endlessly';
    context.report.descriptor(
      'operation-refused',
      operation.pointer,
      `${operationKey(operation)} did not become a tool: it ${reason}.`,
    );
    return toNotExposed(operation, `Not supported: it ${reason}.`, 'codegen');
  }
}

/** For messages: the operation and its place in the descriptor. */
export function describeOperation(operation: OperationModel): string {
  return `${operationKey(operation)} (${operation.pointer})`;
}

function buildTool(planned: PlannedTool, context: ToolContext): ToolModel | NotExposed {
  const { name, operation, config } = planned;
  const { graph, report } = context;
  if (operation.faults.length > 0) {
    const isUnread = operation.faults.every((fault) => fault.includes(WAS_NOT_READ));
    const cause = isUnread ? 'Not supported' : 'The descriptor is wrong here';
    const reason = toShortText(`${cause}: ${operation.faults.join(' ')}`, MAX_REASON_CHARS);
    return refuse(planned, report, { problem: reason, reason });
  }
  const plan = context.plan(operation);
  if (plan.refusal !== null) {
    const problem = `${operationKey(operation)} ${plan.refusal}.`;
    return refuse(planned, report, { problem, reason: `Not supported yet: it ${plan.refusal}.` });
  }
  const request = planArguments(planned, plan, context);
  if (request.contradiction !== null) return refuseContradiction(planned, request.contradiction, report);
  const { annotations, hintReason, effectFrom, overruled } = request.hints;
  const answer = buildAnswer(planned, { arguments: request.arguments, annotations }, context);
  const operationText = toDefaultDescription(operation);
  reportTexts(planned, { hasText: operationText !== '', undescribed: request.undescribed }, report);
  const text = operationText || toBareDescription(operation, requiredNamesOf(request.arguments));
  const defaultDescription = withChoices(text, plan.body, request.assignments);
  const tool: ToolModel = {
    name,
    aliases: toOldNames(config?.aliases),
    title: config?.title ?? toDefaultTitle(operation),
    description: config?.description ?? withWait(defaultDescription, config?.wait),
    operation: withoutUndefined({
      id: operation.id,
      method: operation.method,
      path: operation.path,
      target: operation.target,
      server: operation.server,
    }),
    annotations,
    hintReason,
    effectFrom,
    overruled,
    effect: config?.effect,
    approval: config?.approval,
    preview: config?.preview,
    wait: toWait(config?.wait),
    arguments: request.arguments,
    inputSchema: request.inputSchema,
    rare: findRareArguments(request),
    agreements: request.agreements,
    rules: request.rules,
    reservedSegments: context.reservedSegmentsOf(operation.target?.path ?? operation.path, request.arguments),
    call: buildCall({ ...plan, ...request }, graph.resolve),
    mcp: toMcpCall(operation),
    idempotency: request.idempotency,
    scopes: context.scopesOf(planned),
    ...answer,
  };
  return addListParts(tool, planned, context);
}

function toMcpCall({ mcp }: OperationModel): ToolModel['mcp'] {
  if (mcp === undefined) return undefined;
  const { tool, definition, claims } = mcp;
  return withoutUndefined({ kind: 'mcp', tool, definition, idempotent: claims.idempotent || undefined });
}

/** The tool with the gateway's own arguments, and the filters of the service. */
function addListParts(tool: ToolModel, { config }: PlannedTool, { config: service, report }: ToolContext): ToolModel {
  const argumentConfig = {
    toolList: config?.gatewayArguments,
    serviceList: service.defaults.gatewayArguments,
    isReadOnly: tool.annotations.readOnlyHint,
    batch: config?.batch,
    filtered: filteredMembers(config),
  };
  const extended = { ...tool, ...addGatewayArguments(tool, argumentConfig, report) };
  return { ...extended, filters: buildFilters(extended, config?.filters, report) };
}

/** The members of items by which the arguments of a tool filter: `ticker` of `query.filters[ticker]`, then those of `filters`. */
function filteredMembers(config: PlannedTool['config']): readonly string[] {
  const wires = Object.values(config?.arguments ?? {}).map(({ wire }) => /\[([A-Za-z]\w*)\]$/.exec(wire ?? '')?.[1]);
  return [...wires.filter((name) => name !== undefined), ...Object.keys(config?.filters ?? {})];
}

/** Limit of a reason that quotes the descriptor. */
const MAX_REASON_CHARS = 400;

/** More optional arguments than this are too many for a list, which then describes the first few. */
const MAX_OPTIONAL = 20;
const FIRST_OPTIONAL = 3;
/** Characters of the schema of an optional argument that a list describes. */
const MAX_OPTIONAL_CHARS = 1500;

/**
 * The optional arguments that lean lists only name: neither described by connector.yaml nor among the first and short ones. Undefined if there
 * are none.
 */
function findRareArguments({ arguments: args, assignments }: ToolArguments): ToolModel['rare'] {
  const configured = new Set(assignments.flatMap(({ name, path }) => (path === null ? [] : [name])));
  const optional = args.filter(({ required }) => !required);
  const first = optional.slice(0, optional.length > MAX_OPTIONAL ? FIRST_OPTIONAL : MAX_OPTIONAL);
  const rare = optional
    .filter((argument) => !first.includes(argument) || charsOf(argument.schema) > MAX_OPTIONAL_CHARS)
    .map(({ name }) => name)
    .filter((name) => !configured.has(name));
  return rare.length === 0 ? undefined : rare;
}

/** A tool of connector.yaml that cannot be built is a problem; an operation without one is only listed. */
function refuse(
  { name, operation, config }: PlannedTool,
  report: ToolContext['report'],
  { problem, reason }: { readonly problem: string; readonly reason: string },
): NotExposed {
  if (config !== null) report.config('config-tool-refused', ['tools', name], `${name} cannot be built: ${problem}`);
  return toNotExposed(operation, reason, 'codegen');
}

function refuseContradiction(
  planned: PlannedTool,
  { pointer, reason }: Contradiction,
  report: ToolContext['report'],
): NotExposed {
  const { operation } = planned;
  const text = toShortText(`no arguments are valid: at ${pointer} of its input schema, ${reason}`, MAX_REASON_CHARS);
  const message = `${operationKey(operation)} did not become a tool: ${text}.`;
  report.descriptor('input-contradictory', operation.pointer, message);
  return refuse(planned, report, { problem: `${text}.`, reason: `The descriptor is wrong here: ${text}.` });
}

/** A text is not cut below this length to make room for the choices of a body; the choices are cut instead. */
const MIN_TEXT_CHARS = 120;

function requiredNamesOf(args: readonly ArgumentModel[]): readonly string[] {
  return args.flatMap(({ name, required }) => (required ? [name] : []));
}

/** The text of an operation, and which members of its body exclude each other. */
function withChoices(text: string, body: BodyPlan, assignments: readonly Assignment[]): string {
  const names = new Map(assignments.flatMap(({ name, slot }) => (slot?.in === 'body' ? [[slot.name, name]] : [])));
  const choice = toChoiceText(body, (member) => names.get(member));
  if (choice === '') return text;
  const maxTextChars = MAX_TOOL_DESCRIPTION_CHARS - choice.length - 2;
  const head = maxTextChars > MIN_TEXT_CHARS ? toShortText(text, maxTextChars) : text;
  return toShortText(`${head}\n\n${choice}`, MAX_TOOL_DESCRIPTION_CHARS);
}
