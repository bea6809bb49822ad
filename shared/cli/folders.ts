/** Checks folders from the command line: a mistyped one is an error, and is never created. */

import { statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { UsageError } from './run.ts';

/** @param named the option that names it, such as `--root`. @throws {UsageError} if there is no such folder. */
export function requireFolder(folder: string, named: string): void {
  if (isFolder(folder)) return;
  throw new UsageError(`There is no folder ${folder}, which ${named} names.`);
}

/** For an output file. @throws {UsageError} if its parent folder does not exist. */
export function requireFolderOf(file: string, named: string): void {
  requireFolder(path.dirname(path.resolve(file)), named);
}

/** For a command that works on a project. @throws {UsageError} */
export function requireSpecs(root: string): void {
  if (isFolder(path.join(root, 'specs'))) return;
  throw new UsageError(`There is no folder specs/ in ${root}: run this in the folder of the project.`);
}

/** Creates the folder if its parent exists. @throws {UsageError} */
export async function makeFolder(folder: string, named: string): Promise<void> {
  if (isFolder(folder)) return;
  requireFolderOf(folder, named);
  await mkdir(folder);
}

function isFolder(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
}
