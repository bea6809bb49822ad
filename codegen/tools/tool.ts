/** Builds one tool: converts an operation and our decisions about it to a name, texts, schemas and a call. */

import { charsOf } from '../json.ts';
import type { ConnectorConfig, ToolConfig } from '../load/connector-config.ts';
import { WAS_NOT_READ } from '../load/openapi/types.ts';
import type { OperationModel } from '../model/types.ts';
import { keepMembers } from './answers/keep.ts';
import { buildPage } from './answers/paging.ts';
import { withholdMembers } from './answers/withhold.ts';
import { toChoiceText } from './body/choice-texts.ts';
import type { BodyPlan } from './body/context.ts';
import type { SchemaFit } from './budget/index.ts';
import { SMALL_SHARED_CHARS, shareParts } from './budget/share.ts';
import { buildAnnotations } from './connector/annotations.ts';
import { answerSchemas, buildRows, mayBeEmpty } from './connector/answers.ts';
import type { CredentialPlan } from './connector/credential.ts';
import { type PlannedTool, toNotExposed } from './connector/exposure.ts';
import { buildFilters } from './connector/filters.ts';
import { addGatewayArguments, type BaseTool } from './connector/gateway-arguments.ts';
import { toOldNames } from './connector/old-names.ts';
import { operationKey } from './connector/tool-names.ts';
import { toWait, withWait } from './connector/verify.ts';
import { inferEffect } from './effect/infer.ts';
import type { RequestPlanner } from './plan.ts';
import type { Reporter } from './problems.ts';
import { buildArguments } from './request/arguments.ts';
import { type Assignment, assignArguments } from './request/assign.ts';
import { buildCall } from './request/call.ts';
import type { UsedDefaults } from './request/fixed-and-omitted.ts';
import { planIdempotency } from './request/idempotency.ts';
import { flattenMembers } from './request/nested-members.ts';
import type { TextFinder } from './request/path-argument-text.ts';
import type { ReservedSegmentsOf } from './request/reserved-segments.ts';
import { toChoiceRules, toRules } from './request/rules.ts';
import type { Contradiction } from './schema/contradiction.ts';
import { TooLargeError } from './schema/meter.ts';
import { buildOutputSchema, type OutputDetail } from './schema/output-schema.ts';
import type { RefGraph } from './schema/refs.ts';
import type { ShapeReader } from './schema/relax.ts';
import { reportFilled, reportLeftOut, reportTexts, reportWithoutForm } from './tool-diagnostics.ts';
import type { ArgumentModel, ConnectorModel, ToolModel } from './types.ts';
import { MAX_TOOL_DESCRIPTION_CHARS, toShortText } from './words/texts.ts';
import { toBareDescription, toDefaultDescription, toDefaultTitle } from './words/tool-texts.ts';

/** The inputs that all tools of a service share. */
export interface ToolContext {
  readonly config: ConnectorConfig;
  readonly credential: CredentialPlan;
  readonly scopesOf: (tool: PlannedTool) => ToolModel['scopes'];
  readonly graph: RefGraph;
  readonly findText: TextFinder;
  readonly read: ShapeReader;
  readonly usedDefaults: UsedDefaults;
  readonly reservedSegmentsOf: ReservedSegmentsOf;
  readonly report: Reporter;
  readonly fit: SchemaFit;
  readonly plan: RequestPlanner;
}

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
  const { annotations, slots, assignments, constants, idempotency, args, rules } = planArguments(
    planned,
    plan,
    context,
  );
  if (args.contradiction !== null) return refuseContradiction(planned, args.contradiction, report);
  const schemas = answerSchemas(operation, graph.resolve);
  const answers = { tool: name, config, answers: schemas, resolve: graph.resolve, report };
  const page = buildPage(context.config.pagination, { ...answers, operation, arguments: args.arguments });
  const rows = buildRows(answers);
  const defaultDescription = toDescription(operation, plan.body, args.arguments, assignments);
  const description = config?.description ?? withWait(defaultDescription, config?.wait);
  const keep = config?.keep;
  const returnedSchemas = keepMembers({ tool: name, keep, answers: schemas, page, read: context.read, report });
  const output = buildOutputSchema(returnedSchemas, graph, context.read, {
    rows: rows?.rows ?? null,
    isPaged: page !== null,
    // The answer of a tool that waits is that of another one.
    detail: config?.wait === undefined ? toOutputDetail(context) : 'none',
  });
  const partialTool = { name, page, arguments: args.arguments, ...annotations };
  const withholding = { toolRules: config?.withhold, serviceRules: context.config.defaults.withhold };
  const { schema: outputSchema, withhold } = withholdMembers(output.schema, partialTool, withholding, context);
  reportTexts(planned, args.undescribed, report);
  const resultFlags = { wrapItems: output.wrapItems, rows, mayBeEmpty: mayBeEmpty(operation, graph.resolve) };
  const result = { ...resultFlags, ...(keep && { keep }), ...(withhold && { withhold }) };
  return {
    name,
    ...toOldNames(config?.aliases),
    title: config?.title ?? toDefaultTitle(operation),
    description,
    operation: toToolOperation(operation),
    ...annotations,
    ...approvalOf(config),
    ...toRare(args.arguments, config),
    ...addListParts(
      { name, arguments: args.arguments, inputSchema: args.inputSchema, outputSchema, page, result },
      annotations.annotations.readOnlyHint,
      planned,
      context,
    ),
    outputSchema: context.fit === 'draft' ? outputSchema : shareParts(outputSchema, SMALL_SHARED_CHARS),
    agreements: args.agreements,
    rules,
    reservedSegments: context.reservedSegmentsOf(operation.target?.path ?? operation.path, args.arguments),
    page,
    result,
    ...(output.hidesMembers ? { answersJson: true as const } : {}),
    call: buildCall({ ...plan, slots, assignments, constants, clear: args.clear }, graph.resolve),
    idempotency,
    scopes: context.scopesOf(planned),
  };
}

/** Plans the arguments of a tool, and the places that they are sent in. */
function planArguments(planned: PlannedTool, plan: ReturnType<ToolContext['plan']>, context: ToolContext) {
  const { name, operation, config } = planned;
  const { graph, report, credential } = context;
  const label = `${name} (${operationKey(operation)})`;
  const isSelection = context.config.expose === 'selection';
  const configuredTool = { name, config, isSelection, label, pointer: operation.pointer, report };
  const effect = inferEffect(operation, graph.resolve);
  const annotations = buildAnnotations(operation.method, effect, config?.hints, ['tools', name, 'hints'], report);
  const { slots: remainingSlots, header: idempotency } = planIdempotency(
    plan.request.slots,
    { ...configuredTool, writes: !annotations.annotations.readOnlyHint },
    context.config,
    graph.resolve,
  );
  const { slots, tool } = flattenMembers(remainingSlots, plan.body, configuredTool, graph.resolve);
  const { assignments, constants } = assignArguments(slots, tool, context.config.defaults, context.usedDefaults);
  reportLeftOut(planned, plan.request, report);
  reportFilled(planned, plan.request, report);
  const assignedParameters = new Set(assignments.map(({ slot }) => slot?.parameter));
  const withoutForm = plan.request.withoutForm.filter((parameter) => assignedParameters.has(parameter));
  reportWithoutForm(name, withoutForm, report);
  const mediaType = plan.body.kind === 'members' || plan.body.kind === 'whole' ? plan.body.mediaType : null;
  const args = buildArguments(operation, assignments, {
    toolName: name,
    mediaType,
    credentialNames: credential.namesIn,
    graph,
    findText: context.findText,
    report,
    fit: context.fit,
  });
  const choices = toChoiceRules(plan.body, { slots, assignments, constants, clear: args.clear });
  const rules = toRules(args.whole, choices);
  return { annotations, slots, assignments, constants, idempotency, args, rules };
}

/** The gateway's own arguments, and the filters of the service. */
function addListParts(
  baseTool: BaseTool,
  isReadOnly: boolean,
  { config }: PlannedTool,
  { config: serviceConfig, report }: ToolContext,
) {
  const { gatewayArguments: toolList, batch } = config ?? {};
  const argumentConfig = { toolList, serviceList: serviceConfig.defaults.gatewayArguments, isReadOnly, batch };
  const extended = addGatewayArguments(baseTool, argumentConfig, report);
  return { ...extended, ...buildFilters({ ...baseTool, ...extended }, config?.filters, report) };
}

function toOutputDetail({ fit, config: { outputSchemas } }: ToolContext): OutputDetail {
  if (fit === 'draft') return 'brief';
  return fit === 'whole' && outputSchemas !== 'none' ? 'whole' : outputSchemas;
}

function approvalOf(config: ToolConfig | null): Pick<ToolModel, 'effect' | 'approval' | 'preview' | 'wait'> {
  const { effect, approval, preview, wait } = config ?? {};
  return {
    ...(effect && { effect }),
    ...(approval && { approval }),
    ...(preview && { preview }),
    ...toWait(wait),
  };
}

/** More optional arguments than this are too many for a list, which then describes the first few. */
const MAX_OPTIONAL = 20;
const FIRST_OPTIONAL = 3;
/** Characters of the schema of an optional argument that a list describes. */
const MAX_OPTIONAL_CHARS = 1500;

/** The optional arguments that lean lists only name: neither described by connector.yaml nor among the first and short ones. */
function toRare(args: readonly ArgumentModel[], config: ToolConfig | null): Pick<ToolModel, 'rare'> {
  const optional = args.filter(({ required }) => !required);
  const first = optional.slice(0, optional.length > MAX_OPTIONAL ? FIRST_OPTIONAL : MAX_OPTIONAL);
  const rare = optional
    .filter((argument) => !first.includes(argument) || charsOf(argument.schema) > MAX_OPTIONAL_CHARS)
    .map(({ name }) => name)
    .filter((name) => !Object.hasOwn(config?.arguments ?? {}, name));
  return rare.length === 0 ? {} : { rare };
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

function toToolOperation({ id, method, path, target, server }: OperationModel): ToolModel['operation'] {
  return { id, method, path, ...(target === undefined ? {} : { target }), server };
}

/** Limit of a reason that quotes the descriptor. */
const MAX_REASON_CHARS = 400;

/** A text is not cut below this length to make room for the choices of a body; the choices are cut instead. */
const MIN_TEXT_CHARS = 120;

function toDescription(
  operation: OperationModel,
  body: BodyPlan,
  args: readonly ArgumentModel[],
  assignments: readonly Assignment[],
): string {
  const requiredNames = args.flatMap(({ name, required }) => (required ? [name] : []));
  const names = new Map(assignments.flatMap(({ name, slot }) => (slot?.in === 'body' ? [[slot.name, name]] : [])));
  const text = toDefaultDescription(operation) || toBareDescription(operation, requiredNames);
  const choice = toChoiceText(body, (member) => names.get(member));
  if (choice === '') return text;
  const maxTextChars = MAX_TOOL_DESCRIPTION_CHARS - choice.length - 2;
  const head = maxTextChars > MIN_TEXT_CHARS ? toShortText(text, maxTextChars) : text;
  return toShortText(`${head}\n\n${choice}`, MAX_TOOL_DESCRIPTION_CHARS);
}
