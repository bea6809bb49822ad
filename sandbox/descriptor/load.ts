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
 * Reads and bundles a descriptor; what it returns has local references only, and `{}` where one leads nowhere.
 *
 * It is not validated: codegen makes tools of descriptors with faults, and what it makes tools of can be served.
 *
 * @throws {Error} naming the file, where it is missing, unreadable or has no paths.
 */
export async function loadDescriptor(file: string): Promise<JsonObject> {
  const parser = new Bundler();
  const refuse = (problem: string): never => {
    throw new Error(`${file} is not a descriptor that the sandbox can serve: ${problem}`);
  };
  try {
    await parser.bundle(file, { resolve: { http: false }, continueOnError: true });
  } catch (error) {
    if ((error as Error).name !== 'JSONParserErrorGroup') refuse((error as Error).message);
  }
  const { schema: document } = parser as { schema?: unknown };
  if (!isObject(document) || !isObject(document.paths)) return refuse('it has no paths.');
  return document;
}
