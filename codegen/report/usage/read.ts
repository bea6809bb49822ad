/** Parses and validates a usage file: it comes from a gateway, so none of it is trusted. */

import { z } from 'zod';
import { USAGE_FILE, type UsageFile } from './format.ts';

/** A file that is not a usage file; the message names its first fault. */
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
