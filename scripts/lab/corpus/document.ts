/** Describes a document independently of codegen: its version, and whether a third-party validator accepts it. */

import { Validator } from '@seriousme/openapi-schema-validator';
import { parse } from 'yaml';
import { toRecord } from '../../../codegen/json.ts';
import { fragmentPointer, member, pointerTokens } from '../../../codegen/json-pointer.ts';

export interface DocumentFacts {
  /** Such as `3.0.1`; empty if the document names none. */
  readonly version: string;
  /** Whether it is valid by the published JSON Schema of its version; null if there is no schema for it. */
  readonly isValid: boolean | null;
}

const validator = new Validator();

/** @param text JSON or YAML */
export async function describeDocument(text: string): Promise<DocumentFacts> {
  const document = readDocument(text);
  const { openapi, swagger } = document;
  const version = [openapi, swagger].find((one) => typeof one === 'string' || typeof one === 'number');
  if (version === undefined) return { version: '', isValid: null };
  try {
    return { version: String(version), isValid: (await validator.validate(structuredClone(document))).valid };
  } catch {
    return { version: String(version), isValid: null };
  }
}

/** @returns an empty object for a text that does not parse. */
export function readDocument(bytes: string): Readonly<Record<string, unknown>> {
  const text = bytes.replace(/^\uFEFF/, '');
  try {
    return toRecord(/^\s*\{/.test(text) ? JSON.parse(text) : parse(text, { maxAliasCount: -1, merge: true }));
  } catch {
    return {};
  }
}

export function valueAt(document: unknown, ref: string): Readonly<Record<string, unknown>> {
  return toRecord(pointerTokens(fragmentPointer(ref) ?? '').reduce(member, document));
}
