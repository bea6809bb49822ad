/** Writes a support bundle: a JSON file that can be shown to others. */

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import manifest from '../../../../package.json' with { type: 'json' };
import { FailureError } from '../../../../shared/cli/run.ts';
import type { Finding } from '../../../base/checks.ts';
import { findProject } from '../../../call/tools/catalogue/connectors.ts';
import type { SettingsHere } from '../settings.ts';
import type { InspectedStore } from '../store/inspect.ts';
import { readCounts } from './counts.ts';
import { toShownSettings } from './settings.ts';

interface BundleParts {
  readonly here: SettingsHere;
  readonly findings: readonly Finding[];
  /** Null: there are no settings here. */
  readonly inspected: InspectedStore | null;
}

/** Shorter values, such as numbers, also occur in unrelated sentences. */
const MIN_HIDDEN_LENGTH = 6;

/** @throws {FailureError} if the file exists or cannot be created. */
export async function writeBundle(file: string, parts: BundleParts): Promise<void> {
  const text = `${JSON.stringify(await toBundle(parts), null, 2)}\n`;
  await writeFile(file, text, { mode: 0o600, flag: 'wx' }).catch((problem: NodeJS.ErrnoException) => {
    if (problem.code === 'EEXIST') throw new FailureError(`${file} already exists: name another file for --bundle.`);
    if (problem.code === 'ENOENT')
      throw new FailureError(`There is no folder ${path.dirname(file)}, which --bundle names.`);
    throw new FailureError(`--bundle names ${file}, which this account cannot write (${problem.code}).`);
  });
}

async function toBundle({ here, findings, inspected }: BundleParts) {
  const store = inspected?.store ?? null;
  const settings = toShownSettings(here);
  const hidden = findHidden(here, settings);
  return {
    made: new Date().toISOString(),
    version: manifest.version,
    node: process.version,
    platform: {
      system: `${os.platform()} ${os.arch()} ${os.release()}`,
      processors: os.availableParallelism(),
      memoryBytes: os.totalmem(),
    },
    settings,
    findings: findings.map(({ names = [], ...finding }) => hideIn(finding, [...hidden, ...names])),
    migrations: inspected?.migrations ?? null,
    store: store === null ? null : await readCounts(store, Date.now()),
    connectors: here.connectors.map(({ name, descriptor = null, tools, handWritten = [] }) => ({
      name,
      tools: tools.length + handWritten.length,
      descriptor,
      generated: digestOfFolder(path.join(findProject(), 'generated', name)),
    })),
  };
}

/** Findings contain no secrets; this hides paths, and anything that a later finding may quote. */
function findHidden({ env }: SettingsHere, settings: Readonly<Record<string, string>>): string[] {
  const values = Object.keys(settings).flatMap((name) => (settings[name] === env[name] ? [] : [env[name] ?? '']));
  const files = values.filter((value) => value.startsWith('sqlite:')).map((value) => path.resolve(value.slice(7)));
  const long = [...values, ...files, ...files.map(path.dirname)].filter((text) => text.length >= MIN_HIDDEN_LENGTH);
  return [...long, process.cwd(), os.homedir()];
}

function hideIn({ seen, fix, ...finding }: Finding, hidden: readonly string[]): Finding {
  const longestFirst = hidden.toSorted((one, other) => other.length - one.length);
  const hide = (text: string): string => longestFirst.reduce((shown, each) => shown.replaceAll(each, '(hidden)'), text);
  return { ...finding, seen: hide(seen), ...(fix === undefined ? {} : { fix: hide(fix) }) };
}

/** SHA-256 of names and contents; null if nothing was generated there. */
function digestOfFolder(folder: string): string | null {
  if (!existsSync(folder)) return null;
  const hash = createHash('sha256');
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true }).sort(byPath)) {
    if (!file.isFile()) continue;
    const full = path.join(file.parentPath, file.name);
    hash
      .update(`${path.relative(folder, full)}\n`)
      .update(readFileSync(full))
      .update('\n');
  }
  return hash.digest('hex');
}

interface Entry {
  readonly name: string;
  readonly parentPath: string;
}

function byPath(one: Entry, other: Entry): number {
  return path.join(one.parentPath, one.name) < path.join(other.parentPath, other.name) ? -1 : 1;
}
