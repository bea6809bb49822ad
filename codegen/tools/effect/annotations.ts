/** The four hints of a tool: those of its effect, unless connector.yaml overrides them. */

import type { ToolConfig } from '../../load/connector-config.ts';
import { isKnownMethod, type KnownMethod, type Method } from '../../model/methods.ts';
import type { Reporter } from '../problems.ts';
import type { ToolHints } from '../types.ts';
import { type Effect, effectOfMethod, type InferredEffect } from './infer.ts';

/**
 * Methods whose requests can be repeated (RFC 9110 §9.2.2; HTTP QUERY §2). Any other method is unknown and treated like
 * POST.
 */
const IDEMPOTENT_METHODS: ReadonlySet<KnownMethod> = new Set([
  'DELETE',
  'GET',
  'HEAD',
  'OPTIONS',
  'PUT',
  'QUERY',
  'TRACE',
]);

const HINT_NAMES = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

export interface Annotations {
  readonly annotations: ToolHints;
  /** Why connector.yaml sets hints, or null. */
  readonly hintReason: string | null;
  /** The sign from which the effect was inferred, if neither the method nor connector.yaml says it. */
  readonly effectFrom?: string | undefined;
  /** The sign from which another effect was inferred than connector.yaml says. */
  readonly overruled?: string | undefined;
}

/**
 * Hints of one tool. A configured hint wins. If the effect was inferred, setting one of `readOnlyHint` and `destructiveHint` to true clears the other. The
 * default of `idempotentHint` follows the effect that is then in force. Reports a configured hint that equals the method's default and was not inferred otherwise, and a
 * read-only tool that is destructive.
 */
export function buildAnnotations(
  method: Method,
  inferred: InferredEffect,
  config: ToolConfig['hints'],
  path: readonly string[],
  report: Reporter,
): Annotations {
  const { evidence } = inferred;
  const inferredHints = toHints(method, inferred);
  if (config === undefined) return { annotations: inferredHints, hintReason: null, effectFrom: evidence ?? undefined };
  const isInferred = evidence !== null;
  const { readOnlyHint = isInferred && config.destructiveHint ? false : inferredHints.readOnlyHint } = config;
  const { destructiveHint = isInferred && config.readOnlyHint ? false : inferredHints.destructiveHint } = config;
  const effect = toEffect(readOnlyHint, destructiveHint);
  const defaults = { ...inferredHints, idempotentHint: toHints(method, { ...inferred, effect }).idempotentHint };
  const byMethod = toHints(method, { effect: effectOfMethod(method) });
  const configured = HINT_NAMES.filter((name) => config[name] !== undefined);
  for (const name of configured) {
    if (config[name] !== defaults[name] || config[name] !== byMethod[name]) continue;
    report.config('config-hint-unchanged', [...path, name], `${name} is ${config[name]} by default.`);
  }
  if (readOnlyHint && destructiveHint) {
    report.config('config-hint-contradiction', path, 'The tool only reads and is destructive at once.');
  }
  const { idempotentHint = defaults.idempotentHint, openWorldHint = defaults.openWorldHint } = config;
  const isDecided = config.readOnlyHint !== undefined || config.destructiveHint !== undefined;
  return {
    annotations: { readOnlyHint, destructiveHint, idempotentHint, openWorldHint },
    hintReason: config.reason,
    effectFrom: isDecided ? undefined : (evidence ?? undefined),
    overruled: isInferred && effect !== inferred.effect ? evidence : undefined,
  };
}

function toEffect(readOnlyHint: boolean, destructiveHint: boolean): Effect {
  if (readOnlyHint) return 'reads';
  return destructiveHint ? 'destroys' : 'writes';
}

/** The hints of an effect. A request can be repeated if its method says so and its effect is that of its method. */
function toHints(method: Method, { effect, isRepeatable }: Pick<InferredEffect, 'effect' | 'isRepeatable'>): ToolHints {
  const isMisused = effectOfMethod(method) === 'reads' && effect !== 'reads';
  return {
    readOnlyHint: effect === 'reads',
    destructiveHint: effect === 'destroys',
    idempotentHint: isRepeatable ?? (isKnownMethod(method) && IDEMPOTENT_METHODS.has(method) && !isMisused),
    openWorldHint: true,
  };
}
