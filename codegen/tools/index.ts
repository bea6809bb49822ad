/** The tools stage: the model of a service and our decisions about it become tools, credential and servers. */

import type { Problem } from '../diagnostics.ts';
import { byCodeUnit, withoutUndefined } from '../json.ts';
import type { ConnectorConfig } from '../load/connector-config.ts';
import type { HandWrittenFile } from '../load/hand-written/index.ts';
import type { Logo } from '../load/image/logo.ts';
import type { OperationModel, ServiceModel } from '../model/types.ts';
import { plainName } from './answers/paging-names.ts';
import { buildRateLimitHeaders, createAnswersOf } from './connector/answers.ts';
import { buildCredential } from './connector/credential.ts';
import { buildExposure, type PlannedTool } from './connector/exposure.ts';
import { buildFind } from './connector/find-tools.ts';
import { buildHandWritten, toCheckedTool } from './connector/hand-written.ts';
import { checkOldNames } from './connector/old-names.ts';
import { planScopes } from './connector/scopes.ts';
import { buildServers, createServerCheck, findUnusableServers } from './connector/servers.ts';
import { reportSuspectedSecrets } from './connector/suspected-secrets.ts';
import { buildAccount, buildVerify, checkPreviews, checkWaits, verifyExtras } from './connector/verify.ts';
import { buildEvents } from './events.ts';
import { createRequestPlanner } from './plan.ts';
import { createReporter, type Reporter } from './problems.ts';
import { type CheckedTool, checkProfiles } from './profiles/index.ts';
import { createUsedDefaults } from './request/fixed-and-omitted.ts';
import { createTextFinder } from './request/path-argument-text.ts';
import { createReservedSegments } from './request/reserved-segments.ts';
import { createMeter, type Meter } from './schema/meter.ts';
import { createRefGraph } from './schema/refs.ts';
import { createShapeReader } from './schema/relax.ts';
import { buildWithinBounds, describeOperation } from './tool.ts';
import type { SharedDecisions, ToolContext } from './tool-context.ts';
import { buildSynonyms, checkDefaults, checkServicePagination } from './tool-diagnostics.ts';
import type { ConnectorModel, ToolModel } from './types.ts';
import { toPlainText } from './words/plain-text.ts';
import { joinSentences, MAX_TOOL_DESCRIPTION_CHARS, toShortText } from './words/texts.ts';

interface BuildOptions {
  /** Hand-written tools of the service. Default: none. */
  readonly handWritten?: readonly HandWrittenFile[];
  /** Default: none. */
  readonly logo?: Logo | null;
  /** Only these tools, with schemas of any size. Default: all tools, within their size limits. */
  readonly onlyTools?: ReadonlySet<string>;
  /** True: quick schemas, which are not for publication. Default: false. */
  readonly isDraft?: boolean;
  /** Called before each operation, with its method, path and pointer. What it throws ends the stage. */
  readonly onOperation?: ((where: string) => void) | undefined;
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
  { handWritten: files = [], logo = null, onlyTools, isDraft = false, onOperation }: BuildOptions = {},
): { readonly connector: ConnectorModel; readonly problems: Problem[] } {
  const report = createReporter(model.file, configFile);
  const meter = createMeter((ref) => model.resolve(ref));
  const graph = createRefGraph(meter.resolve);
  const fullExposure = buildExposure(model, config, report);
  const exposure =
    onlyTools === undefined
      ? fullExposure
      : { ...fullExposure, tools: fullExposure.tools.filter(({ name }) => onlyTools.has(name)) };
  const operations = [...new Set(exposure.tools.map(({ operation }) => operation))];
  const credential = buildCredential(model, config, operations, report);
  const unusableServers = findUnusableServers(model, config);
  const scopes = planScopes(model, config, credential.oauth2, report);
  const comparedFit = onlyTools === undefined ? 'published' : 'whole';
  const context = createToolContext(model, unusableServers, {
    config,
    credential,
    scopesOf: scopes.scopesOf,
    graph,
    report,
    fit: isDraft ? 'draft' : comparedFit,
  });
  const { builtTools, refused } = buildTools(exposure.tools, context, { meter, onOperation });
  const plannedTools = builtTools.map(({ planned }) => planned);
  const operationOf = (name: string) => exposure.tools.find((tool) => tool.name === name)?.operation;
  const checkContext = { answersOf: createAnswersOf(operationOf, graph.resolve), resolve: graph.resolve, report };
  const tools = checkWaits({ ...checkContext, tools: builtTools.map(({ tool }) => tool) });
  const findTools = buildFindTools(builtTools, report);
  const allTools = [...tools, ...findTools.map(({ tool }) => tool)];
  scopes.check(plannedTools);
  checkDefaults(config, context.usedDefaults, report);
  reportSuspectedSecrets(plannedTools, context.plan, { config, parts: credential.credential.parts }, report);
  checkOldNames(allTools, report);
  checkServicePagination(config, tools, report);
  const handWritten = buildHandWritten(files, { service: model.name, config, tools: allTools, report });
  const clients = checkProfiles(
    [
      ...[...builtTools, ...findTools].map(({ planned, tool }) => toCheckedGenerated(tool, planned, report)),
      ...handWritten.map((tool) => toCheckedTool(tool, report)),
    ],
    config,
    report,
  );
  return {
    connector: {
      name: model.name,
      file: model.file,
      title: config.title ?? (toPlainText(model.title) || model.name),
      description: config.description ?? toPlainText(model.description),
      categories: config.categories,
      credential: verifyExtras(credential.credential, config, tools, report),
      verify: buildVerify(config.verify, checkPreviews({ ...checkContext, tools }), report),
      synonyms: buildSynonyms(config, tools, report),
      account: buildAccount(config.account, { ...checkContext, tools }),
      unusableServers,
      servers: buildServers(model, config, new Set(tools.map(({ operation }) => operation.server)), report),
      errors: toErrorRules(config),
      rateLimitHeaders: buildRateLimitHeaders(config.rateLimitHeaders, operations),
      caps: config.caps ?? null,
      events: buildEvents({ model, config, tools, graph, read: context.read, report }),
      tools: allTools.sort((a, b) => byCodeUnit(a.name, b.name)),
      handWritten,
      logo,
      skills: {},
      notExposed: [...exposure.notExposed, ...refused].sort((a, b) =>
        byCodeUnit(`${a.path} ${a.method}`, `${b.path} ${b.method}`),
      ),
      clients,
    },
    problems: [...report.problems],
  };
}

/** Builds the tools one by one, each within its own bounds. */
function buildTools(
  tools: readonly PlannedTool[],
  context: ToolContext,
  { meter, onOperation }: { readonly meter: Meter; readonly onOperation: BuildOptions['onOperation'] },
) {
  const buildResults = tools.map((planned) => {
    meter.restart();
    onOperation?.(describeOperation(planned.operation));
    return { planned, result: buildWithinBounds(planned, context) };
  });
  const builtTools = buildResults.flatMap(({ planned, result }) => {
    if (!('inputSchema' in result)) return [];
    return [{ planned, tool: withCredential(result, planned.operation, context.credential) }];
  });
  const refused = new Map(
    buildResults.flatMap(({ result }) =>
      'reason' in result ? [[`${result.method} ${result.path}`, result] as const] : [],
    ),
  );
  return { builtTools: withLinks(builtTools), refused: [...refused.values()] };
}

/** The tool with what its requests need and carry of the credential. */
function withCredential(
  tool: ToolModel,
  operation: OperationModel,
  { extraOf, credentialOf }: ToolContext['credential'],
): ToolModel {
  const extra = extraOf(operation);
  const credential = credentialOf(operation);
  const withExtra = extra === undefined ? tool : { ...tool, extra };
  return credential === undefined ? withExtra : { ...withExtra, credential };
}

function toErrorRules({ errors }: ConnectorConfig): ConnectorModel['errors'] {
  return withoutUndefined({
    message: errors?.message ?? [],
    code: errors?.code ?? [],
    details: errors?.details ?? [],
    invalidCredential: errors?.invalidCredential ?? [],
    inSuccess: errors?.inSuccess ?? null,
    outcomes: errors?.outcomes,
  });
}

/** Problems of a tool that connector.yaml describes are there; of others they are at the operation. */
function toCheckedGenerated(tool: ToolModel, { operation, config }: PlannedTool, report: Reporter): CheckedTool {
  return {
    tool,
    report: (message, fix) =>
      config === null
        ? report.descriptor('profile-refused', operation.pointer, message, fix)
        : report.config('profile-refused', ['tools', tool.name], message, fix),
  };
}

/** The tools that find one item of a list of another tool. */
function buildFindTools(builtTools: ReturnType<typeof buildTools>['builtTools'], report: Reporter) {
  const names = new Set(builtTools.map(({ tool }) => tool.name));
  return builtTools.flatMap(({ planned, tool }) => {
    const find = planned.config?.find;
    if (find === undefined) return [];
    const findTool = buildFind(tool, find, names, report);
    names.add(findTool.name);
    return [{ planned, tool: findTool }];
  });
}

/** Creates what the tools of one service share, of what was decided for all of them. */
function createToolContext(
  model: ServiceModel,
  unusableServers: ConnectorModel['unusableServers'],
  decided: SharedDecisions,
): ToolContext {
  const { credential, graph, report } = decided;
  return {
    ...decided,
    findText: createTextFinder(model.operations),
    read: createShapeReader(graph.resolve),
    usedDefaults: createUsedDefaults(),
    reservedSegmentsOf: createReservedSegments(model.operations.map(({ path, target }) => target?.path ?? path)),
    plan: createRequestPlanner({
      openapi: model.openapi,
      credential,
      serverProblemOf: createServerCheck(unusableServers),
      resolve: graph.resolve,
      report,
    }),
  };
}

interface BuiltTool {
  readonly planned: PlannedTool;
  readonly tool: ToolModel;
}

const MAX_LINKS = 3;

/**
 * The tools with a sentence on the tools that their links lead to (Link Objects, OpenAPI 3.1 §4.8.20). Descriptions of connector.yaml stay as
 * they are.
 */
function withLinks(builtTools: readonly BuiltTool[]): readonly BuiltTool[] {
  return builtTools.map((builtTool) => {
    if (builtTool.planned.config?.description !== undefined) return builtTool;
    const linkTexts = linksOf(builtTool.planned.operation).flatMap(({ target, values }) => {
      const linked = builtTools.find(
        ({ planned: { operation } }) => target === operation.id || target === operation.pointer,
      );
      return linked === undefined || linked === builtTool ? [] : [toLinkText(linked.tool, values)];
    });
    if (linkTexts.length === 0) return builtTool;
    const text = `Then: ${[...new Set(linkTexts)].slice(0, MAX_LINKS).join('; ')}.`;
    const { description } = builtTool.tool;
    const short = toShortText(description, MAX_TOOL_DESCRIPTION_CHARS - text.length - 2);
    return { ...builtTool, tool: { ...builtTool.tool, description: joinSentences(short, text) } };
  });
}

function linksOf({ responses }: OperationModel) {
  return responses.flatMap(({ status, links = [] }) => (/^2/.test(status) ? links : []));
}

/** `users_get (username: owner.login)`, with the arguments that the answer has. */
function toLinkText({ name, arguments: args }: ToolModel, values: Readonly<Record<string, string>>): string {
  const argumentTexts = Object.entries(values).flatMap(([parameter, pointer]) => {
    const argument = args.find((candidate) => plainName(candidate.name) === plainName(parameter.replace(/^\w+\./, '')));
    return argument === undefined ? [] : [`${argument.name}: ${pointer.slice(1).replaceAll('/', '.')}`];
  });
  return argumentTexts.length === 0 ? name : `${name} (${argumentTexts.join(', ')})`;
}
