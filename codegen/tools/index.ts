/** The tools stage: the model of a service and our decisions about it become tools, credential and servers. */

import type { Problem } from '../diagnostics.ts';
import { byCodeUnit } from '../json.ts';
import type { ConnectorConfig } from '../load/connector-config.ts';
import type { HandWrittenFile } from '../load/hand-written/index.ts';
import type { Logo } from '../load/image/logo.ts';
import type { OperationModel, ServiceModel } from '../model/types.ts';
import { keepMembers } from './answers/keep.ts';
import { buildPage } from './answers/paging.ts';
import { toChoiceText } from './body/choices-in-words.ts';
import type { BodyPlan } from './body/index.ts';
import { createPartStore, type PartStore, SMALL_SHARED_CHARS } from './budget/share.ts';
import { buildAnnotations } from './connector/annotations.ts';
import { answerSchemas, buildRows, mayBeEmpty } from './connector/answers.ts';
import { buildCredential, type CredentialPlan } from './connector/credential.ts';
import { buildExposure, type PlannedTool, toNotExposed } from './connector/exposure.ts';
import { addGatewayArguments } from './connector/gateway-arguments.ts';
import { buildHandWritten, toCheckedTool } from './connector/hand-written.ts';
import { checkOldNames, toOldNames } from './connector/old-names.ts';
import { buildRateLimitHeaders } from './connector/rate-limits.ts';
import { planScopes } from './connector/scopes.ts';
import { buildServers, createServerCheck, findUnusableServers } from './connector/servers.ts';
import { reportSuspectedSecrets } from './connector/suspected-secrets.ts';
import { buildSynonyms } from './connector/synonyms.ts';
import { operationKey } from './connector/tool-names.ts';
import { buildAccount, buildVerify } from './connector/verify.ts';
import {
  checkDefaults,
  checkOptionalBody,
  checkServicePagination,
  reportFilled,
  reportLeftOut,
  reportTexts,
  reportWithoutForm,
} from './notes.ts';
import { createRequestPlanner, type RequestPlanner } from './plan.ts';
import { createReporter, type Reporter } from './problems.ts';
import { type CheckedTool, checkProfiles } from './profiles/index.ts';
import { buildArguments } from './request/arguments.ts';
import { assignArguments } from './request/assign.ts';
import { buildCall } from './request/call.ts';
import { createDefaultsUse, type DefaultsUse } from './request/fixed-and-omitted.ts';
import { planIdempotency } from './request/idempotency.ts';
import { flattenMembers } from './request/nested-members.ts';
import { createReservedSegments, type ReservedSegmentsOf } from './request/reserved-segments.ts';
import { createMeter, TooLargeError } from './schema/meter.ts';
import { buildOutputSchema } from './schema/output-schema.ts';
import { createRefGraph, type RefGraph } from './schema/refs.ts';
import { createShapeReader, type ShapeReader } from './schema/relax.ts';
import type { ConnectorModel, ToolModel } from './types.ts';
import { toPlainText } from './words/plain-text.ts';
import { MAX_TOOL_DESCRIPTION_CHARS, toShortText } from './words/texts.ts';
import { toBareDescription, toDefaultDescription, toDefaultTitle } from './words/tool-texts.ts';

/** What else a folder of `specs/` holds. */
interface FilesBeside {
  readonly handWritten: readonly HandWrittenFile[];
  readonly logo: Logo | null;
  readonly descriptorDigest: string;
}

const NOTHING_BESIDE: FilesBeside = { handWritten: [], logo: null, descriptorDigest: '' };

interface BuildOptions {
  /** Only these tools, with schemas of any size. Default: all tools, within their budgets. */
  readonly whole?: ReadonlySet<string>;
  /** Called before each operation, with its method, path and pointer. What it throws ends the stage. */
  readonly onOperation?: (where: string) => void;
}

/**
 * Decides everything that the generated folder of a service will say.
 *
 * Pure: equal input gives equal output, and the order of paths in the descriptor does not matter.
 *
 * @param configFile path of connector.yaml relative to the project's root, for problems; it need not exist
 * @returns the connector, usable only when no problem is an error, and every problem found
 */
export function buildConnectorModel(
  model: ServiceModel,
  config: ConnectorConfig,
  configFile: string,
  { handWritten: files, logo, descriptorDigest }: FilesBeside = NOTHING_BESIDE,
  { whole, onOperation }: BuildOptions = {},
): { readonly connector: ConnectorModel; readonly problems: Problem[] } {
  const report = createReporter(model.file, configFile);
  const meter = createMeter((ref) => model.resolve(ref));
  const graph = createRefGraph(meter.resolve);
  const exposed = buildExposure(model, config, report);
  const exposure =
    whole === undefined ? exposed : { ...exposed, tools: exposed.tools.filter(({ name }) => whole.has(name)) };
  const operations = [...new Set(exposure.tools.map(({ operation }) => operation))];
  const credential = buildCredential(model, config, operations, report);
  const unusableServers = findUnusableServers(model, config);
  const scopes = planScopes(model, config, credential.oauth2, report);
  const context: Context = {
    config,
    credential,
    scopesOf: scopes.scopesOf,
    graph,
    read: createShapeReader(graph.resolve),
    use: createDefaultsUse(),
    reservedSegmentsOf: createReservedSegments(model.operations.map(({ path, target }) => target?.path ?? path)),
    report,
    isWhole: whole !== undefined,
    parts: createPartStore(),
    plan: createRequestPlanner({
      openapi: model.openapi,
      credential,
      serverProblemOf: createServerCheck(unusableServers),
      resolve: graph.resolve,
      report,
    }),
  };
  const built = exposure.tools.map((planned) => {
    meter.restart();
    onOperation?.(whereIs(planned.operation));
    return buildWithinBounds(planned, context);
  });
  const withTool = exposure.tools.filter((_, index) => 'inputSchema' in (built[index] ?? {}));
  scopes.check(withTool);
  const tools = built.filter((result): result is ToolModel => 'inputSchema' in result);
  const refused = new Map(
    built.flatMap((result) => ('reason' in result ? [[`${result.method} ${result.path}`, result]] : [])),
  );
  checkDefaults(config, context.use, report);
  reportSuspectedSecrets(withTool, context.plan, config, credential.credential.parts, report);
  checkOldNames(tools, config, report);
  checkServicePagination(config, tools, report);
  const checked = exposure.tools.flatMap(({ operation, config: own }, index) => {
    const tool = built[index];
    if (tool === undefined || !('inputSchema' in tool)) return [];
    const say: CheckedTool['report'] = (code, message, fix) =>
      own === null
        ? report.descriptor(code, operation.pointer, message, fix)
        : report.config(code, ['tools', tool.name], message, fix);
    return [{ tool, report: say }];
  });
  const handWritten = buildHandWritten(files, { service: model.name, config, tools, report });
  const clients = checkProfiles(
    [...checked, ...handWritten.map((tool) => toCheckedTool(tool, report))],
    config,
    report,
  );
  return {
    connector: {
      name: model.name,
      file: model.file,
      descriptorDigest,
      title: config.title ?? (toPlainText(model.title) || model.name),
      description: config.description ?? toPlainText(model.description),
      categories: config.categories,
      credential: credential.credential,
      verify: buildVerify(config.verify, tools, report),
      synonyms: buildSynonyms(config, tools, report),
      account: buildAccount(
        config.account,
        tools,
        (tool) => exposure.tools.find(({ name }) => name === tool)?.operation,
        graph.resolve,
        report,
      ),
      unusableServers,
      servers: buildServers(model, config, new Set(tools.map(({ operation }) => operation.server)), report),
      errors: {
        message: config.errors?.message ?? [],
        code: config.errors?.code ?? [],
        details: config.errors?.details ?? [],
        invalidCredential: config.errors?.invalidCredential ?? [],
        inSuccess: config.errors?.inSuccess ?? null,
        ...(config.errors?.outcomes === undefined ? {} : { outcomes: config.errors.outcomes }),
      },
      rateLimitHeaders: buildRateLimitHeaders(config.rateLimitHeaders, operations),
      caps: config.caps ?? null,
      tools: tools.sort((a, b) => byCodeUnit(a.name, b.name)),
      handWritten,
      logo,
      notExposed: [...exposure.notExposed, ...refused.values()].sort((a, b) =>
        byCodeUnit(`${a.path} ${a.method}`, `${b.path} ${b.method}`),
      ),
      clients,
    },
    problems: [...report.problems],
  };
}

interface Context {
  readonly config: ConnectorConfig;
  readonly credential: CredentialPlan;
  readonly scopesOf: (tool: PlannedTool) => ToolModel['scopes'];
  readonly graph: RefGraph;
  readonly read: ShapeReader;
  readonly use: DefaultsUse;
  readonly reservedSegmentsOf: ReservedSegmentsOf;
  readonly report: Reporter;
  /** True: schemas keep their size. */
  readonly isWhole: boolean;
  readonly parts: PartStore;
  readonly plan: RequestPlanner;
}

type NotExposed = ConnectorModel['notExposed'][number];

/**
 * What is too large costs its operation.
 *
 * @throws {Error} with the operation in its message, for a defect of codegen
 */
function buildWithinBounds(planned: PlannedTool, context: Context): ToolModel | NotExposed {
  const { operation } = planned;
  try {
    return buildTool(planned, context);
  } catch (error) {
    const where = whereIs(operation);
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

function whereIs(operation: OperationModel): string {
  return `${operationKey(operation)} (${operation.pointer})`;
}

function buildTool(planned: PlannedTool, context: Context): ToolModel | NotExposed {
  const { name, operation, config } = planned;
  const { graph, report, credential } = context;
  if (operation.faults.length > 0) {
    const reason = toShortText(`The descriptor is wrong here: ${operation.faults.join(' ')}`, MAX_REASON_CHARS);
    if (config !== null) report.config('config-tool-refused', ['tools', name], `${name} cannot be built: ${reason}`);
    return toNotExposed(operation, reason, 'codegen');
  }
  const plan = context.plan(operation, config?.optionalBody === true);
  checkOptionalBody(planned, report);
  if (plan.refusal !== null) {
    if (config !== null) {
      report.config(
        'config-tool-refused',
        ['tools', name],
        `${name} cannot be built: ${operationKey(operation)} ${plan.refusal}.`,
      );
    }
    return toNotExposed(operation, `Not supported yet: it ${plan.refusal}.`, 'codegen');
  }
  const label = `${name} (${operationKey(operation)})`;
  const configured = { name, config, label, pointer: operation.pointer };
  const annotations = buildAnnotations(operation.method, config?.hints, ['tools', name, 'hints'], report);
  const { slots: plain, header: idempotency } = planIdempotency(
    plan.request.slots,
    { ...configured, writes: !annotations.annotations.readOnlyHint },
    context.config,
    graph.resolve,
    report,
  );
  const { slots, tool } = flattenMembers(plain, plan.body, configured, graph.resolve, report);
  const { assignments, constants } = assignArguments(slots, tool, context.config.defaults, context.use, report);
  reportLeftOut(planned, plan.request, report);
  reportFilled(planned, plan.request, report);
  reportWithoutForm(planned, plan.request, report);
  const mediaType = plan.body.kind === 'members' || plan.body.kind === 'whole' ? plan.body.mediaType : null;
  const args = buildArguments(operation, name, assignments, mediaType, credential.namesIn, graph, {
    report,
    isWhole: context.isWhole,
    parts: context.parts,
  });
  const schemas = answerSchemas(operation, graph.resolve);
  const answers = {
    tool: name,
    config,
    answers: schemas,
    resolve: graph.resolve,
    report,
  };
  const page = buildPage(context.config.pagination, { ...answers, operation, arguments: args.arguments });
  const rows = buildRows(answers);
  const argumentOfMember = new Map(
    assignments.flatMap(({ name: own, slot }) => (slot?.in === 'body' ? [[slot.name, own]] : [])),
  );
  const needed = args.arguments.flatMap((argument) => (argument.required ? [argument.name] : []));
  const description =
    config?.description ?? toDescription(operation, plan.body, needed, (member) => argumentOfMember.get(member));
  const keep = config?.keep;
  const kept = keepMembers({ tool: name, keep, answers: schemas, page, read: context.read, report });
  const output = buildOutputSchema(kept, graph, context.read, {
    rows: rows?.rows ?? null,
    page: page === null ? null : description.includes('page.nextArguments') ? 'named' : 'described',
    detail: context.isWhole && context.config.outputSchemas !== 'none' ? 'whole' : context.config.outputSchemas,
  });
  reportTexts(planned, args.undescribed, report);
  return {
    name,
    ...toOldNames(config?.aliases, planned.oldName),
    title: config?.title ?? toDefaultTitle(operation),
    description,
    operation: toCalled(operation),
    ...annotations,
    ...addGatewayArguments(
      { name, arguments: args.arguments, inputSchema: args.inputSchema, outputSchema: output.schema, page },
      {
        own: config?.gatewayArguments,
        service: context.config.defaults.gatewayArguments,
        reads: annotations.annotations.readOnlyHint,
      },
      report,
    ),
    outputSchema: context.parts.shareParts(output.schema, SMALL_SHARED_CHARS),
    agreements: args.agreements,
    reservedSegments: context.reservedSegmentsOf(operation.target?.path ?? operation.path, args.arguments),
    page,
    result: {
      wrapItems: output.wrapItems,
      rows,
      mayBeEmpty: mayBeEmpty(operation, graph.resolve),
      ...(keep === undefined ? {} : { keep }),
    },
    ...(output.hidesMembers ? { answersJson: true as const } : {}),
    call: buildCall({ ...plan, slots, assignments, constants, clear: args.clear }, graph.resolve),
    idempotency,
    scopes: context.scopesOf(planned),
  };
}

function toCalled({ id, method, path, target, server }: OperationModel): ToolModel['operation'] {
  return { id, method, path, ...(target === undefined ? {} : { target }), server };
}

/** Of a reason that quotes the descriptor. */
const MAX_REASON_CHARS = 400;

/** Below this, a text is not cut to make room for the choices of a body: those are cut instead. */
const MIN_TEXT_CHARS = 120;

function toDescription(
  operation: OperationModel,
  body: BodyPlan,
  needed: readonly string[],
  nameOf: (member: string) => string | undefined,
): string {
  const text = toDefaultDescription(operation) || toBareDescription(operation, needed);
  const choice = toChoiceText(body, nameOf);
  if (choice === '') return text;
  const room = MAX_TOOL_DESCRIPTION_CHARS - choice.length - 2;
  const head = room > MIN_TEXT_CHARS ? toShortText(text, room) : text;
  return toShortText(`${head}\n\n${choice}`, MAX_TOOL_DESCRIPTION_CHARS);
}
