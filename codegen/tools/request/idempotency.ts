/** The header by which an upstream recognises a repeated request: the gateway fills it, not the model. */

import { compilePattern, findPatternProblem } from '../../../shared/patterns/index.ts';
import type { ConnectorConfig } from '../../load/connector-config.ts';
import type { Schema } from '../../model/types.ts';
import { mergeAllOf } from '../schema/merge.ts';
import type { Resolve } from '../schema/readers.ts';
import { typesOf } from '../schema/readers.ts';
import type { IdempotencyHeader } from '../types.ts';
import { type ConfiguredTool, createSlotDirectory, placesOfArguments } from './fixed-and-omitted.ts';
import { ownHeader } from './own-headers.ts';
import type { Slot } from './slots.ts';
import { wireKey } from './wire.ts';

/** `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header) and its earlier names. */
const HEADER_NAME = /(?:^|-)idempoten(?:cy|t)(?:-?(?:key|token|id))?$/i;
/** A field name that no other part of the gateway writes (RFC 9110 §5.6.2). */
const FIELD_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

const UUID_SAMPLES = ['00000000-0000-4000-8000-000000000000', 'ffffffff-ffff-4fff-bfff-ffffffffffff'];
const MAX_DIGITS = 64;
/** 64 bits: with fewer, two values could collide within a day. */
const MIN_DIGITS = 16;

interface IdempotencyPlan {
  /** Places that arguments and fixed values fill. */
  readonly slots: readonly Slot[];
  readonly header: IdempotencyHeader | null;
}

/**
 * Removes the header of a repeated request from the places that a tool's arguments fill.
 *
 * The header is the one that connector.yaml names under `idempotencyHeader`, else one that the descriptor declares under a usual name. It is treated
 * like any other header if connector.yaml has `null`, or names it in `arguments`, `fixed` or `omit`, or if its schema accepts neither a UUID nor
 * hexadecimal digits.
 */
export function planIdempotency(
  slots: readonly Slot[],
  tool: ConfiguredTool & { readonly writes: boolean },
  config: ConnectorConfig,
  resolve: Resolve,
): IdempotencyPlan {
  const { report } = tool;
  const unchanged = { slots, header: null };
  const toolHeader = tool.config?.idempotencyHeader;
  const configuredHeader = toolHeader === undefined ? config.idempotencyHeader : toolHeader;
  if (configuredHeader === null) return unchanged;
  const path = toolHeader === undefined ? ['idempotencyHeader'] : ['tools', tool.name, 'idempotencyHeader'];
  if (configuredHeader !== undefined && !FIELD_NAME.test(configuredHeader)) {
    report.config('config-constraint', path, `${JSON.stringify(configuredHeader)} is not the name of a header.`);
    return unchanged;
  }
  if (configuredHeader !== undefined && isFilledOtherwise(configuredHeader)) {
    report.config('config-constraint', path, `The header ${configuredHeader} holds something else.`);
    return unchanged;
  }
  const slot = slots.find(
    ({ in: place, name }) => place === 'header' && name !== null && isIdempotencyHeader(name, configuredHeader),
  );
  if (slot === undefined || slot.name === null) {
    return configuredHeader === undefined || !tool.writes
      ? unchanged
      : { slots, header: { header: configuredHeader, digits: null } };
  }
  if (isDecided(slot, slots, tool, config)) return unchanged;
  const digits = findDigitCount(mergeAllOf(slot.schema, resolve).schema);
  if (digits === undefined) {
    if (configuredHeader === undefined) return unchanged;
    const message = `Neither a UUID nor ${MIN_DIGITS} or more hexadecimal digits fit the schema of ${configuredHeader} in ${tool.label}.`;
    report.config('config-constraint', path, message);
    return unchanged;
  }
  return { slots: slots.filter((other) => other !== slot), header: { header: slot.name, digits } };
}

/** The key would replace the credential, or what describes the request. */
function isFilledOtherwise(header: string): boolean {
  return ownHeader(header) !== undefined || /^(accept|authorization|content-type)$/i.test(header);
}

function isIdempotencyHeader(header: string, configuredHeader: string | undefined): boolean {
  return configuredHeader === undefined
    ? HEADER_NAME.test(header)
    : header.toLowerCase() === configuredHeader.toLowerCase();
}

/** True if connector.yaml itself decides the value of the header. */
function isDecided(slot: Slot, slots: readonly Slot[], tool: ConfiguredTool, { defaults }: ConnectorConfig): boolean {
  const directory = createSlotDirectory(slots, tool.label, tool.report);
  const texts = [tool.config, defaults].flatMap((source) => [
    ...Object.keys(source?.fixed ?? {}),
    ...(source?.omit ?? []),
  ]);
  const decidedSlots = texts.map((text) => directory.find(directory.parse(text)));
  return decidedSlots.includes(slot) || placesOfArguments(directory, tool).has(wireKey(slot));
}

/** Returns the number of hexadecimal digits that the schema accepts, null if it accepts a UUID, and undefined if it accepts neither. */
function findDigitCount(schema: Schema): number | null | undefined {
  const types = typesOf(schema);
  if (types.length > 0 && !types.includes('string')) return undefined;
  if (
    Array.isArray(schema.enum) ||
    schema.const !== undefined ||
    schema.oneOf !== undefined ||
    schema.anyOf !== undefined
  )
    return undefined;
  if (UUID_SAMPLES.every((value) => fits(value, schema))) return null;
  if (schema.format !== undefined) return undefined;
  const maxDigits = typeof schema.maxLength === 'number' ? Math.min(schema.maxLength, MAX_DIGITS) : MAX_DIGITS;
  const lengths = [32, maxDigits].filter((length) => length >= MIN_DIGITS && length <= maxDigits);
  return lengths.find((length) => ['0', 'f'].every((digit) => fits(digit.repeat(length), schema)));
}

function fits(value: string, { minLength, maxLength, pattern }: Schema): boolean {
  if (typeof minLength === 'number' && value.length < minLength) return false;
  if (typeof maxLength === 'number' && value.length > maxLength) return false;
  if (typeof pattern !== 'string') return true;
  return findPatternProblem(pattern) === null && compilePattern(pattern).test(value);
}
