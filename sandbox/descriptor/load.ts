/** Reads one service's OpenAPI descriptor from disk. */

import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import SwaggerParser from '@apidevtools/swagger-parser';
import { parse } from 'yaml';
import { isObject, type JsonObject } from '../json.ts';

const FILES = ['openapi.yaml', 'openapi.yml', 'openapi.json', 'mcp.json'];

/** The services in a folder such as `specs/`, sorted: each subfolder that contains a descriptor. */
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

/** The base class of swagger-parser: it bundles any document, whereas swagger-parser rejects versions after 3.1.2. */
const Bundler = Object.getPrototypeOf(SwaggerParser) as typeof SwaggerParser;

/**
 * Reads and bundles a descriptor. The result has only local references, and `{}` in place of a broken one.
 *
 * The descriptor is not validated: codegen generates tools from faulty descriptors, and the sandbox must serve those too.
 *
 * @throws {Error} naming the file, if it is missing, unreadable or has no paths.
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

/**
 * Returns the rules of `world.yaml` next to a descriptor about the service's records. Empty if there is no such file.
 *
 * @throws {Error} naming the file.
 */
export async function loadWorldRules(descriptor: string): Promise<JsonObject> {
  const file = join(dirname(descriptor), 'world.yaml');
  if (!existsSync(file)) return {};
  try {
    const rules: unknown = parse(await readFile(file, 'utf8'), { merge: true });
    return isObject(rules) ? rules : {};
  } catch (error) {
    throw new Error(`${file} is not YAML: ${(error as Error).message}`);
  }
}
