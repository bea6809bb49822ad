/** Takes one service up to its tools, without emitting files: load -> model -> tools. */

import { DIAGNOSTICS, type Problem } from './diagnostics.ts';
import { type LoadResult, loadService } from './load/index.ts';
import { checkSkills } from './load/skills.ts';
import { buildServiceModel } from './model/index.ts';
import type { ServiceModel } from './model/types.ts';
import { toToolPrefix } from './tools/connector/tool-names.ts';
import { buildConnectorModel } from './tools/index.ts';
import type { ConnectorModel } from './tools/types.ts';

/** The decisions about one service. */
interface DecidedService {
  readonly loaded: LoadResult;
  /** Null if its files have errors. */
  readonly decided: { readonly model: ServiceModel; readonly connector: ConnectorModel } | null;
  /** With `expose: selection`: warnings and notes on the descriptor only at the operations of its tools. */
  readonly problems: readonly Problem[];
  /** Path of connector.yaml relative to the project's root; it need not exist. */
  readonly configFile: string;
}

interface ProgressCallbacks {
  /** Called when a stage begins. */
  readonly onStage?: (stage: 'load' | 'model' | 'tools') => void;
  /** Called before each operation, with its place. If it throws, the service is abandoned. */
  readonly onOperation?: (where: string) => void;
}

/** @param isDraft true: schemas of tools are neither complete nor within their size limits, which takes half of the time */
export async function decideService(
  { root, service, isDraft = false }: { readonly root: string; readonly service: string; readonly isDraft?: boolean },
  { onStage, onOperation }: ProgressCallbacks = {},
): Promise<DecidedService> {
  onStage?.('load');
  const loaded = await loadService({ root, service });
  const configFile = loaded.configFile ?? `specs/${service}/connector.yaml`;
  if (hasErrors(loaded.problems)) return { loaded, decided: null, problems: loaded.problems, configFile };
  onStage?.('model');
  const { model, problems } = buildServiceModel({ name: service, file: loaded.descriptorFile, ...loaded });
  onStage?.('tools');
  const buildResult = buildConnectorModel(model, loaded.config, configFile, {
    ...loaded,
    isDraft,
    onOperation,
  });
  const toolPrefix = toToolPrefix(service, loaded.config.toolPrefix);
  const { skills, problems: skillProblems } = checkSkills(loaded.skills, buildResult.connector, toolPrefix);
  const allProblems = [...loaded.problems, ...problems, ...buildResult.problems, ...skillProblems];
  const calledOperations = new Set(
    buildResult.connector.tools.map(({ operation: { method, path } }) => `${method} ${path}`),
  );
  const calledPointers = model.operations.flatMap((operation) =>
    calledOperations.has(`${operation.method} ${operation.path}`) ? operation.pointer : [],
  );
  const isAbout = ({ code, file, pointer }: Problem) =>
    file !== loaded.descriptorFile ||
    (code !== 'parameter-left-out' &&
      calledPointers.some((calledPointer) => `${pointer}/`.startsWith(`${calledPointer}/`)));
  const relevantProblems =
    loaded.config.expose === 'selection'
      ? allProblems.filter((problem) => isError(problem) || isAbout(problem))
      : allProblems;
  return {
    loaded,
    decided: { model, connector: { ...buildResult.connector, skills } },
    problems: relevantProblems,
    configFile,
  };
}

/** True if one of the problems keeps a service from being generated. */
export function hasErrors(problems: readonly Problem[]): boolean {
  return problems.some(isError);
}

function isError({ code }: Problem): boolean {
  return DIAGNOSTICS[code].severity === 'error';
}
