/** Opens the modules of a gateway in two steps: they provide what they add to calls, and open once the core has its tools. */

import { identityOf } from './app.ts';
import type { CredentialVault, EncryptionKey } from './base/credentials/index.ts';
import { deriveModuleKeys } from './base/credentials/key-ring.ts';
import { createChallenges, resourceOf } from './base/http/challenge.ts';
import type { Closing } from './closing.ts';
import type { Config } from './config/index.ts';
import {
  type Core,
  configuredModules,
  type GatewayFacts,
  type ModuleContext,
  type OpenModule,
  type TrustedCore,
} from './module.ts';
import { PRODUCT, USER_AGENT } from './product.ts';

/**
 * Calls `provide` of the modules, each with a context of its own.
 *
 * @param state the keys of the gateway, and what is open before the tools.
 */
export function provideModules(
  { config, connectors, log, now }: GatewayFacts,
  state: Pick<ModuleContext, 'keys' | 'store' | 'limits' | 'workBudget' | 'threads'>,
) {
  return configuredModules(config).map(({ module, settings }) => {
    const context: ModuleContext = {
      config,
      log,
      now,
      product: PRODUCT,
      userAgent: USER_AGENT,
      keys: deriveModuleKeys(state.keys, module.name),
      store: state.store,
      connectors,
      limits: state.limits,
      workBudget: state.workBudget,
      threads: state.threads,
    };
    // Only the module itself knows the type of what it provides.
    return { module, settings, context, provided: (module.provide?.(context, settings) ?? {}) as never };
  });
}

/** The part of the core that opens after the modules have provided. */
type CoreTools = Omit<Core, keyof ModuleContext | 'resource' | 'challenges'>;

interface Keys {
  readonly vault: CredentialVault;
  readonly keys: readonly EncryptionKey[];
}

/**
 * Opens the modules in the order of their list.
 *
 * @param modules as `provideModules` returned them.
 */
export async function openModules(
  modules: ReturnType<typeof provideModules>,
  { config, core, closing }: { readonly config: Config; readonly core: CoreTools & Keys; readonly closing: Closing },
): Promise<OpenModule[]> {
  const identity = identityOf(config);
  const tools: Omit<Core, keyof ModuleContext> = {
    catalogue: core.catalogue,
    tools: core.tools,
    findWhy: core.findWhy,
    callerOf: core.callerOf,
    callerLimits: core.callerLimits,
    circuits: core.circuits,
    callRules: core.callRules,
    revocations: core.revocations,
    approvals: core.approvals,
    toolConsent: core.toolConsent,
    leases: core.leases,
    outgoing: core.outgoing,
    documents: core.documents,
    resource: resourceOf(identity),
    challenges: createChallenges(identity),
    serverIcons: core.serverIcons,
  };
  const opened: OpenModule[] = [];
  for (const { module, settings, context, provided } of modules) {
    const moduleCore: Core = { ...context, ...tools };
    const trustedCore: TrustedCore = { ...moduleCore, vault: core.vault, gatewayKeys: core.keys };
    const openModule =
      (await module.open?.(moduleCore, settings, provided)) ??
      (await module.openTrusted?.(trustedCore, settings, provided));
    if (openModule === undefined) continue;
    opened.push(openModule);
    if (openModule.close !== undefined) closing.add(`the module ${module.name} did not close`, openModule.close);
  }
  return opened;
}
