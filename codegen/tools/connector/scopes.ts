/** The OAuth 2.0 scopes that a tool needs: from connector.yaml, else from the security requirement of its operation. */

import { byCodeUnit } from '../../json.ts';
import type { ConnectorConfig } from '../../load/connector-config.ts';
import type { OperationModel, ServiceModel } from '../../model/types.ts';
import { type Reporter, toShortList } from '../problems.ts';
import type { ToolModel } from '../types.ts';
import type { PlannedTool } from './exposure.ts';
import { powerOfScopes } from './privilege/least-privilege.ts';

type Scopes = ToolModel['scopes'];

interface ScopePlan {
  scopesOf(tool: PlannedTool): Scopes;
  /** Reports settings of connector.yaml without effect, and scopes that the descriptor does not list. */
  check(tools: readonly PlannedTool[]): void;
}

/** @param ids of the OAuth 2.0 parts of the credential, all kinds together. */
export function planScopes(
  model: ServiceModel,
  config: ConnectorConfig,
  ids: readonly string[],
  report: Reporter,
): ScopePlan {
  const fallback = config.defaults.scopes;
  let usesFallback = false;
  const scopesOf = ({ operation, config: toolConfig }: PlannedTool): Scopes => {
    if (ids.length === 0) return [];
    if (toolConfig?.scopes !== undefined) return toAlternatives(toolConfig.scopes);
    const declared = declaredScopes(operation, ids);
    if (declared.length > 0 || fallback === undefined) return declared;
    usesFallback = true;
    return toAlternatives(fallback);
  };
  return {
    scopesOf,
    check(tools) {
      const unused = ids.length > 0 ? [] : tools.filter((tool) => tool.config?.scopes !== undefined);
      for (const { name } of unused) {
        report.config(
          'config-scopes',
          ['tools', name, 'scopes'],
          `${name} has scopes, and no credential is OAuth 2.0.`,
        );
      }
      if (fallback !== undefined && !usesFallback) {
        report.config('config-scopes', ['defaults', 'scopes'], 'No tool takes its scopes from here.');
      }
      reportUnlisted(model, ids, { tools, scopesOf }, report);
    },
  };
}

/**
 * Scopes of all alternatives that include OAuth 2.0; empty if one of them needs no scope. Those of an administrator are left out where an
 * alternative does without them: a user would be asked for one of the two.
 */
function declaredScopes({ security }: OperationModel, ids: readonly string[]): Scopes {
  const alternatives = security
    .map((needs) => needs.filter(({ id }) => ids.includes(id)))
    .filter((needs) => needs.length > 0);
  const leastPower = Math.min(...alternatives.map(powerOfScopes));
  const weakest = alternatives.filter((needs) => powerOfScopes(needs) === leastPower);
  return simplify(weakest.map((needs) => needs.flatMap(({ scopes }) => scopes)));
}

function toAlternatives(configured: readonly string[] | readonly (readonly string[])[]): Scopes {
  const sets = configured.filter((entry) => typeof entry !== 'string');
  return simplify(sets.length > 0 ? sets : [configured.filter((entry) => typeof entry === 'string')]);
}

/** Each set once and sorted, without supersets of another; empty if no scope is needed. */
function simplify(sets: readonly (readonly string[])[]): Scopes {
  const sorted = sets.map((set) => [...new Set(set)].sort(byCodeUnit));
  const minimalSets = sorted.filter((set, index) =>
    sorted.every((other, otherIndex) => {
      const isSubset = other.every((scope) => set.includes(scope));
      return otherIndex === index || !isSubset || (other.length === set.length && otherIndex > index);
    }),
  );
  return minimalSets.some((set) => set.length === 0) ? [] : minimalSets;
}

/** One diagnostic for each scope: a thousand operations of a descriptor may need it. */
function reportUnlisted(
  { securitySchemes }: ServiceModel,
  ids: readonly string[],
  { tools, scopesOf }: Pick<ScopePlan, 'scopesOf'> & { readonly tools: readonly PlannedTool[] },
  report: Reporter,
): void {
  const schemes = securitySchemes.flatMap((scheme) =>
    scheme.type === 'oauth2' && ids.includes(scheme.id) && scheme.scopes.length > 0 ? [scheme] : [],
  );
  if (schemes.length === 0 || schemes.length < ids.length) return;
  const listed = new Set(schemes.flatMap(({ scopes }) => scopes));
  const uses = tools.flatMap((tool) =>
    scopesOf(tool)
      .flat()
      .filter((scope) => !listed.has(scope))
      .map((scope) => ({ scope, tool })),
  );
  for (const [scope, usesOfScope] of Map.groupBy(uses, (use) => use.scope)) {
    const names = [...new Set(usesOfScope.map(({ tool }) => tool.name))];
    const message = `${schemes.map(({ id }) => id).join(' and ')} does not list the scope ${scope}, which is needed by ${toShortList(names)}.`;
    const first = usesOfScope[0]?.tool;
    if (first?.config?.scopes !== undefined) report.config('scope-unlisted', ['tools', first.name, 'scopes'], message);
    else report.descriptor('scope-unlisted', first?.operation.pointer ?? '', message);
  }
}
