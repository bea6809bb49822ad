/** Reads one service's OpenAPI descriptor from disk. */

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import SwaggerParser from '@apidevtools/swagger-parser';
import type { JsonObject } from '../json.ts';

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

/**
 * Reads, bundles and validates a descriptor; what it returns has local references only.
 *
 * @throws {Error} naming the file, where it is missing, unreadable or not a valid OpenAPI 3 descriptor
 */
export async function loadDescriptor(file: string): Promise<JsonObject> {
  const options = { resolve: { http: false } } as const;
  try {
    const document = await SwaggerParser.bundle(file, options);
    await SwaggerParser.validate(structuredClone(document), options);
    return document as unknown as JsonObject;
  } catch (error) {
    throw new Error(`${file} is not a descriptor that the sandbox can serve: ${(error as Error).message}`);
  }
}
