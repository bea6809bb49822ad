/** Reads a CPU profile: how much time each part of the program took. */

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Section } from './report.ts';

/** The fields of a `.cpuprofile` that are read. Times are in microseconds. */
interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}
interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
  readonly children?: readonly number[];
}

interface ProfilePart {
  /** A folder of this project, a package, or a part of Node. */
  readonly name: string;
  /** Share of the time that the thread was busy, 0 to 1. */
  readonly share: number;
}

const ROOT = path.resolve(import.meta.dirname, '../../../..');
/** Parts of a profile below this share of the time are combined into one row. */
const MIN_SHARE = 0.01;
const NOT_WORK = new Set(['(idle)', '(root)']);
const COLLECTOR = '(garbage collector)';
const NATIVE = '(program)';

/**
 * Splits the time after the start among the parts of the program, largest first.
 *
 * A function without a file, such as `JSON.parse`, counts towards the part that called it.
 *
 * @param startMilliseconds time to leave out at the beginning.
 */
export async function readProfile(file: string, startMilliseconds: number): Promise<ProfilePart[]> {
  const { nodes, samples, timeDeltas } = JSON.parse(await readFile(file, 'utf8')) as CpuProfile;
  const partOf = nameParts(nodes);
  const times = new Map<string, number>();
  let clock = 0;
  let worked = 0;
  for (const [index, id] of samples.entries()) {
    const time = timeDeltas[index] ?? 0;
    clock += time;
    const part = partOf.get(id) ?? NATIVE;
    if (clock < startMilliseconds * 1000 || NOT_WORK.has(part)) continue;
    times.set(part, (times.get(part) ?? 0) + time);
    worked += time;
  }
  return [...times].map(([name, time]) => ({ name, share: time / worked })).sort((a, b) => b.share - a.share);
}

function nameParts(nodes: readonly ProfileNode[]): Map<number, string> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parts = new Map<number, string>();
  const visit = (id: number, caller: string): void => {
    const node = byId.get(id);
    if (node === undefined) return;
    const part = toPart(node.callFrame) ?? caller;
    parts.set(id, part);
    for (const child of node.children ?? []) visit(child, part);
  };
  const [root] = nodes;
  if (root !== undefined) visit(root.id, NATIVE);
  return parts;
}

function toPart({ functionName, url }: ProfileNode['callFrame']): string | null {
  if (url === '') return NOT_WORK.has(functionName) || functionName === COLLECTOR ? functionName : null;
  const module = /^node:(?:internal\/)?(?:deps\/)?([^/]+)/.exec(url)?.[1];
  if (module !== undefined) return `node:${module}`;
  const file = path.relative(ROOT, url.startsWith('file:') ? fileURLToPath(url) : url).replaceAll(path.sep, '/');
  const packageName = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file);
  return packageName?.[1] ?? file.split('/').slice(0, -1).slice(0, 3).join('/');
}

/** @param cpu CPU time of one request, in microseconds. */
export function toProfileSection(name: string, title: string, parts: readonly ProfilePart[], cpu: number): Section {
  const shown = parts.filter(({ share }) => share >= MIN_SHARE);
  const rest = parts.reduce((sum, { share }) => sum + share, 0) - shown.reduce((sum, { share }) => sum + share, 0);
  const rows = [...shown, { name: 'all others', share: rest }];
  return {
    name: `profile-${name}`,
    title,
    table: [
      ['part', '%', 'µs'],
      ...rows.map((row) => [row.name, (row.share * 100).toFixed(1), (row.share * cpu).toFixed(0)]),
    ],
  };
}
