/** Decides which operations become tools, and says why the others do not. */

import { FINDER_TOOL_NAMES } from '../../../shared/search/tool-names.ts';
import { byCodeUnit } from '../../json.ts';
import type { ConnectorConfig, ToolConfig } from '../../load/connector-config.ts';
import type { OperationModel, ServiceModel } from '../../model/types.ts';
import { type Reporter, suggest, toShortList } from '../problems.ts';
import type { ConnectorModel } from '../types.ts';
import { selectOperations } from './select-operations.ts';
import { nameTools, operationKey, toToolPrefix } from './tool-names.ts';

/** One tool to build. */
export interface PlannedTool {
  readonly name: string;
  readonly operation: OperationModel;
  /** Null if connector.yaml has no entry for it. */
  readonly config: ToolConfig | null;
}

interface Exposure {
  /** Sorted by name. */
  readonly tools: readonly PlannedTool[];
  readonly notExposed: ConnectorModel['notExposed'];
}

/** Reports references to operations that do not exist, and contradictions between `tools` and `notExposed`. */
export function buildExposure(model: ServiceModel, config: ConnectorConfig, report: Reporter): Exposure {
  const findOperation = createOperationFinder(model.operations);
  const hidden = new Map<OperationModel, string>();
  for (const [key, reason] of Object.entries(config.notExposed)) {
    const operation = findOperation(key);
    if (operation === null) reportUnknown(key, ['notExposed', key], model, report);
    else hidden.set(operation, reason);
  }
  const configured: PlannedTool[] = [];
  for (const [name, tool] of Object.entries(config.tools)) {
    const operation = findOperation(tool.operation);
    if (operation === null) {
      reportUnknown(tool.operation, ['tools', name, 'operation'], model, report);
      continue;
    }
    if (hidden.has(operation)) {
      report.config(
        'config-exposure-conflict',
        ['tools', name],
        `${name} calls ${tool.operation}, which notExposed names.`,
      );
      continue;
    }
    configured.push({ name, operation, config: tool });
  }
  const configuredOperations = new Set(configured.map(({ operation }) => operation));
  const rest = model.operations.filter((operation) => !configuredOperations.has(operation) && !hidden.has(operation));
  const { mode, selection } = toExposeMode(config.expose);
  const isSelected = selectOperations(selection, model, report);
  const { open: selectedOperations = [], outside: unselectedOperations = [] } = Object.groupBy(rest, (operation) =>
    isSelected(operation) ? 'open' : 'outside',
  );
  const unlisted = mode === 'all' ? [] : selectedOperations;
  if (unlisted.length > 0 && mode === 'listed') {
    report.config(
      'operation-unlisted',
      ['expose'],
      `Neither tools nor notExposed name ${unlisted.length} operations: ${toShortList(unlisted.map(labelOf))}.`,
    );
  }
  const defaults = mode === 'all' ? nameDefaults(model, config, selectedOperations, report) : [];
  return {
    tools: [...configured, ...defaults].sort((a, b) => byCodeUnit(a.name, b.name)),
    notExposed: [
      ...[...hidden].map(([operation, reason]) => toNotExposed(operation, reason, 'connector.yaml')),
      ...unlisted.map((operation) =>
        toNotExposed(operation, 'connector.yaml exposes listed operations only.', 'connector.yaml'),
      ),
      ...unselectedOperations.map((operation) =>
        toNotExposed(operation, 'Outside of what `expose` selects.', 'expose'),
      ),
    ],
  };
}

/** Reads the word form and the selection form of `expose`. */
function toExposeMode(expose: ConnectorConfig['expose']) {
  if (typeof expose === 'string') return { mode: expose, selection: undefined };
  return { mode: expose.listed === true ? 'listed' : 'all', selection: expose };
}

function nameDefaults(
  model: ServiceModel,
  config: ConnectorConfig,
  operations: readonly OperationModel[],
  report: Reporter,
): readonly PlannedTool[] {
  const prefix = toToolPrefix(model.name, config.toolPrefix);
  const takenNames = new Set([...Object.keys(config.tools), ...FINDER_TOOL_NAMES]);
  const { names, unresolved } = nameTools(prefix, operations, takenNames);
  for (const [name, group] of unresolved) {
    const list = group.map((operation) => `${operationKey(operation)} became ${names.get(operationKey(operation))}`);
    report.descriptor(
      'tool-name-collision',
      group[0]?.pointer ?? '',
      `${name} is the name of several tools: ${list.join(', ')}.`,
    );
  }
  return operations.map((operation) => ({ name: names.get(operationKey(operation)) ?? '', operation, config: null }));
}

export function toNotExposed(
  { method, path, id }: OperationModel,
  reason: string,
  by: ConnectorModel['notExposed'][number]['by'],
): ConnectorModel['notExposed'][number] {
  return { method, path, id, reason, by };
}

/** Finds an operation by `operationId`, or by method and path such as `GET /documents/{document_id}`. */
function createOperationFinder(operations: readonly OperationModel[]): (key: string) => OperationModel | null {
  const byId = new Map(operations.flatMap((operation) => (operation.id === null ? [] : [[operation.id, operation]])));
  const byKey = new Map(operations.map((operation) => [operationKey(operation), operation]));
  return (key) => {
    const [, method, path] = /^(\S+)\s+(\/.*)$/.exec(key) ?? [];
    const operationByPath =
      method === undefined ? undefined : (byKey.get(key) ?? byKey.get(`${method.toUpperCase()} ${path}`));
    return byId.get(key) ?? operationByPath ?? null;
  };
}

function labelOf(operation: OperationModel): string {
  return operation.id ?? operationKey(operation);
}

function reportUnknown(key: string, path: readonly string[], model: ServiceModel, report: Reporter): void {
  const isMethodAndPath = /\s\//.test(key);
  const names = model.operations.flatMap((operation) =>
    isMethodAndPath ? operationKey(operation) : (operation.id ?? []),
  );
  const fix = suggest(key, names, 'The descriptor has no operations.');
  const problem = `${model.file} has no operation ${key}.`;
  report.config('config-operation-unknown', path, problem, `${fix} If the service no longer has it, remove it here.`);
}
