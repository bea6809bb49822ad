/** A usage file as text in, its numbers out: it comes from a gateway, so nothing of it is taken on trust. */

import { z } from 'zod';
import { USAGE_FILE, type UsageFile } from './format.ts';

/** A file that is not a usage file, with the first thing that is wrong in it. */
export class UsageFileError extends Error {}

/** @throws {UsageFileError} */
export function readUsage(text: string): UsageFile {
  const result = USAGE_FILE.safeParse(parse(text));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const place = issue === undefined || issue.path.length === 0 ? 'the file' : z.core.toDotPath(issue.path);
  throw new UsageFileError(`Not a usage file of version 1: ${place}: ${issue?.message ?? 'is not valid'}`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageFileError('Not a usage file of version 1: it is not JSON.');
  }
}
