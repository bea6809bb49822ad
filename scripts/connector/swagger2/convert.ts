/** Converts a Swagger 2.0 document to OpenAPI 3.0. */

import { upgradeFromTwoToThree } from '@scalar/openapi-upgrader/2.0-to-3.0';
import { UsageError } from '../../../shared/cli/run.ts';
import { isMembers, prepareSwagger2 } from './prepare.ts';

/** Returns true if a parsed document declares Swagger 2.0. Without quotes in YAML, the version is a number. */
export function isSwagger2(document: unknown): document is Record<string, unknown> {
  return isMembers(document) && document.openapi === undefined && Number(document.swagger) === 2;
}

/**
 * Converts a document without changing it.
 *
 * @param scheme the scheme that the document was fetched with, for a document that names none
 * @throws {UsageError} for a document that the converter cannot read.
 */
export function convertSwagger2(original: Record<string, unknown>, scheme: 'http' | 'https'): Record<string, unknown> {
  const prepared: Record<string, unknown> = { ...JSON.parse(JSON.stringify(original)), swagger: '2.0' };
  try {
    prepareSwagger2(prepared, scheme);
    const forms = operationsOf(prepared).filter(({ operation }) => hasRequiredField(operation));
    const names = new Set(forms.map(({ name }) => name));
    const converted: unknown = upgradeFromTwoToThree(prepared);
    if (!isMembers(converted)) throw new Error('the conversion gave no document');
    for (const { name, operation } of operationsOf(converted)) finishForm(operation.requestBody, names.has(name));
    return JSON.parse(JSON.stringify(converted));
  } catch (error) {
    throw new UsageError(
      `This Swagger 2.0 document cannot be converted: ${error instanceof Error ? error.message : String(error)}.`,
    );
  }
}

function operationsOf(document: Record<string, unknown>) {
  return Object.entries(isMembers(document.paths) ? document.paths : {}).flatMap(([path, item]) =>
    Object.entries(isMembers(item) ? item : {}).flatMap(([method, operation]) =>
      isMembers(operation) ? [{ name: `${method} ${path}`, operation }] : [],
    ),
  );
}

function hasRequiredField({ parameters }: Record<string, unknown>): boolean {
  const list: unknown[] = Array.isArray(parameters) ? parameters : [];
  return list.some((one) => isMembers(one) && one.in === 'formData' && one.required === true);
}

/** The converter leaves a form with required fields optional, and writes empty lists of required members. */
function finishForm(body: unknown, isRequired: boolean): void {
  if (!isMembers(body)) return;
  if (isRequired) body.required = true;
  for (const media of Object.values(isMembers(body.content) ? body.content : {})) {
    const schema = isMembers(media) ? media.schema : null;
    if (isMembers(schema) && Array.isArray(schema.required) && schema.required.length === 0) delete schema.required;
  }
}
