/** Reads one service's OpenAPI descriptor from disk. */

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import SwaggerParser from '@apidevtools/swagger-parser';
import { isObject, type JsonObject } from '../json.ts';

const FILES = ['openapi.yaml', 'openapi.yml', 'openapi.json'];

/** The services in a folder such as `specs/`, sorted: each folder that holds a descriptor. */
export function listDescribedServices(root: string): string[] {
  if (!existsSync(root)) return [];
  const names = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return names
    .map((entry) => entry.name)
    .filter((name) => findDescriptor(root, name) !== null)
    .sort();
}

/** The path of a service's descriptor, or null. */
export function findDescriptor(root: string, service: string): string | null {
  return FILES.map((file) => join(root, service, file)).find((file) => existsSync(file)) ?? null;
}

/** What swagger-parser is built on: it bundles any document, where that refuses versions after 3.1.2. */
const Bundler = Object.getPrototypeOf(SwaggerParser) as typeof SwaggerParser;

/**
 * Reads and bundles a descriptor; what it returns has local references only. It is validated up to OpenAPI 3.1: the parser has no
 * schema of 3.2.
 *
 * @throws {Error} naming the file, where it is missing, unreadable or not a valid OpenAPI 3 descriptor
 */
export async function loadDescriptor(file: string): Promise<JsonObject> {
  const options = { resolve: { http: false } } as const;
  try {
    const document = (await Bundler.bundle(file, options)) as unknown as JsonObject;
    const isLater = isObject(document.paths) && String(document.openapi).startsWith('3.2.');
    if (!isLater) await SwaggerParser.validate(structuredClone(document) as never, options);
    return document;
  } catch (error) {
    throw new Error(`${file} is not a descriptor that the sandbox can serve: ${(error as Error).message}`);
  }
}
