/** Reads and validates `connector.yaml`. */

import type { Problem } from '../diagnostics.ts';
import { toConfigProblems } from './config-problems.ts';
import { type ConnectorConfig, connectorConfigSchema } from './connector-config.ts';
import { readInside, type ServiceFolder } from './service-folder.ts';
import { surveyDocument } from './survey.ts';
import { parseSource, type Source } from './text/source.ts';

const CONFIG_NAME = 'connector.yaml';
const MISNAMED = ['connector.yml', 'connector.json', 'connectors.yaml'];

interface LoadedConfig {
  /** Path relative to the project's root; null if there is no file. */
  readonly file: string | null;
  /** The defaults if there is no file, or if it has problems. */
  readonly config: ConnectorConfig;
  readonly problems: readonly Problem[];
  readonly sources: readonly Source[];
}

/** Returns all problems at once; each names its key. */
export async function loadConfig(folder: ServiceFolder): Promise<LoadedConfig> {
  const defaults = connectorConfigSchema.parse({});
  const misnamed = MISNAMED.filter((name) => folder.entries.includes(name)).map(
    (name): Problem => ({
      code: 'config-misnamed',
      file: `${folder.file}/${name}`,
      pointer: '',
      message: `${name} is not read.`,
    }),
  );
  if (!folder.entries.includes(CONFIG_NAME)) return { file: null, config: defaults, problems: misnamed, sources: [] };

  const file = `${folder.file}/${CONFIG_NAME}`;
  const read = await readInside(folder, CONFIG_NAME);
  if ('refused' in read) {
    const code = read.refused === 'outside' ? 'file-outside' : 'file-unreadable';
    const problem: Problem = { code, file, pointer: '', message: read.message };
    return { file, config: defaults, problems: [...misnamed, problem], sources: [] };
  }
  const source = parseSource(file, read.text);
  const { config, problems } = readConfig(source);
  return { file, config: config ?? defaults, problems: [...misnamed, ...problems], sources: [source] };
}

/** An empty file counts as an empty object. */
function readConfig(source: Source): { config: ConnectorConfig | null; problems: Problem[] } {
  const { file, faults } = source;
  const survey = surveyDocument(source.value);
  const unreadable: Problem[] = [
    ...faults.map(({ position, message }): Problem => ({ code: 'syntax', file, pointer: '', position, message })),
    ...[...survey.faults, ...survey.notNumbers].map(
      ({ pointer, message }): Problem => ({ code: 'document-value', file, pointer, message }),
    ),
  ];
  if (unreadable.length > 0) return { config: null, problems: unreadable };
  const value = source.value ?? {};
  const result = connectorConfigSchema.safeParse(value);
  if (result.success) return { config: result.data, problems: [] };
  return { config: null, problems: toConfigProblems(result.error, connectorConfigSchema, value, file) };
}
