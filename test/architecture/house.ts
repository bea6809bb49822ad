/** Measures the house: circles between folders, files that could be part of another, and long or wide functions. */

import { type SourceFile, ts } from 'ts-morph';
import { findCycles } from './cycles.ts';
import { files, pathOf } from './imports.ts';
import type { ImportArrow } from './rules.ts';

/** A file of at most this many lines belongs into its only importer, if the two have room in one file. */
const SMALL_FILE_LINES = 45;
const ROOMY_FILE_LINES = 300;

/** The files that people write, without tests and declarations. */
export const written: readonly SourceFile[] = files.filter(
  (file) => !/^generated\/|\.d\.ts$|^server\/connect\/connect-script\.ts$/.test(pathOf(file)),
);

const linesOf = (file: SourceFile): number => file.getFullText().split('\n').length - 1;

/** For each folder, its folders and files that import each other in circles, types included. */
export function findCircles(arrows: readonly Pick<ImportArrow, 'from' | 'to'>[]): string[] {
  const parents = new Map<string, { from: string; to: string }[]>();
  for (const { from, to } of arrows) {
    const [left, right] = [from.split('/'), to.split('/')];
    let depth = 0;
    while (left[depth] === right[depth] && depth < Math.min(left.length, right.length) - 1) depth += 1;
    const parent = left.slice(0, depth).join('/');
    const [a = '', b = ''] = [left[depth], right[depth]];
    parents.set(parent, [...(parents.get(parent) ?? []), { from: a, to: b }]);
  }
  return [...parents].flatMap(([parent, between]) =>
    findCycles(between)
      .filter((group) => group.some((name) => !name.includes('.')))
      .map((group) => `${parent}: ${group.join(', ')}`),
  );
}

/** Small files with one importer that has room for them. */
export function findSmallFiles(arrows: readonly ImportArrow[]): string[] {
  const byPath = new Map(written.map((file) => [pathOf(file), file]));
  const importers = Map.groupBy(
    arrows.filter(({ from, to }) => from !== to && byPath.has(from)),
    ({ to }) => to,
  );
  return [...byPath].flatMap(([path, file]) => {
    const [importer, ...others] = new Set(importers.get(path)?.map(({ from }) => from));
    const into = importer === undefined || others.length > 0 ? undefined : byPath.get(importer);
    if (into === undefined || linesOf(file) > SMALL_FILE_LINES) return [];
    return linesOf(file) + linesOf(into) > ROOMY_FILE_LINES ? [] : [`${path} -> ${importer}`];
  });
}

/** Functions with a body that `isTooMuch` says of their lines and parameters. */
export function findFunctions(isTooMuch: (lines: number, parameters: number) => boolean): string[] {
  return written.flatMap((file) => {
    const source = file.compilerNode;
    const found: string[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
        const [first, last] = [node.getStart(source), node.end].map(
          (at) => source.getLineAndCharacterOfPosition(at).line,
        );
        const lines = (last ?? 0) - (first ?? 0) + 1;
        if (isTooMuch(lines, node.parameters.length)) {
          found.push(`${pathOf(file)}:${(first ?? 0) + 1} (${lines} lines, ${node.parameters.length} parameters)`);
        }
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
    return found;
  });
}
