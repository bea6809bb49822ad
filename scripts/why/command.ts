/** The why command: says why a client of a user lacks a tool, while the gateway runs. */

import type { Command } from 'commander';
import { openVault } from '../../server/base/credentials/store-key.ts';
import { findToolFacts } from '../../server/base/store/repositories/tool-facts.ts';
import { traitsByTool } from '../../server/call/tools/approvals/policy.ts';
import { createCallRules } from '../../server/call/tools/call-limits.ts';
import { createCatalogue } from '../../server/call/tools/catalogue/catalogue.ts';
import { findProject } from '../../server/call/tools/catalogue/connectors.ts';
import { toServed } from '../../server/call/tools/catalogue/provenance.ts';
import { loadReviewed } from '../../server/call/tools/catalogue/reviewed.ts';
import { createSeenFacts } from '../../server/call/tools/tool-consent.ts';
import { createFindWhy } from '../../server/call/tools/why.ts';
import { createCredentialOpener } from '../../server/call/upstream/lease.ts';
import { findOneUser } from '../../server/cli/find-user.ts';
import { loadServices, requireKeyRing, withStore } from '../../server/cli/with-store.ts';
import { MCP_PATH } from '../../server/gateway-paths.ts';
import { addHelpTable, createCommand } from '../../shared/cli/command.ts';
import { PROCESS_OUTPUT } from '../../shared/cli/output.ts';
import { loadSettings } from '../store/settings.ts';

interface WhyOptions {
  readonly client?: string;
  readonly partner?: string;
}

/** `utg why`. */
export function createWhyCommand(output = PROCESS_OUTPUT): Command {
  const command = createCommand('why', output)
    .summary('say why a client of a user lacks a tool')
    .description(
      'Says the one reason why a client of a user lacks a tool, or why its calls are refused, and what fixes it. The ' +
        'checks are those of a call, in the same order; nothing is sent. The gateway may be running. The database and the ' +
        'settings are those of the gateway.',
    )
    .argument('<user>', "the user_id: the partner's own name for the user")
    .argument('<tool>', 'name of the tool')
    .option('--client <id>', 'the client, by id or name; default: every one that has access')
    .option('--partner <id>', 'client_id of the partner, needed when several partners have such a user')
    .action((user: string, tool: string, options: WhyOptions) => ask({ user, tool, ...options }, output.out));
  return addHelpTable(command, 'Examples', {
    'utg why ada crm_delete_contact': 'for every client of ada',
    'utg why ada crm_delete_contact --client Claude': 'for one',
  });
}

async function ask(
  { tool, client = null, ...named }: { user: string; tool: string; client?: string | null; partner?: string },
  print: (text: string) => void,
): Promise<void> {
  const all = await loadServices();
  const config = loadSettings(all);
  const { requireReviewed } = config;
  const served = toServed(all, requireReviewed === null ? null : await loadReviewed(requireReviewed, findProject()));
  await withStore(config, async (store) => {
    const traits = traitsByTool(served.connectors);
    const findWhy = createFindWhy({
      store,
      catalogue: createCatalogue(served.connectors, { mode: config.catalogueMode }),
      unreviewed: served.unreviewed,
      identity: { issuer: config.publicUrl, path: MCP_PATH },
      openCredential: createCredentialOpener({ vault: await openVault(store.db, requireKeyRing(config)) }),
      seenFacts: createSeenFacts((hash) => findToolFacts(store.db, hash)),
      traits,
      callRules: createCallRules({ rules: config.callLimits, effectsByTool: traits, db: store.db, now: Date.now }),
      rule: config.approvals,
      now: Date.now,
      running: null,
    });
    for (const why of await findWhy(await findOneUser(store, named), { tool, client })) {
      print(`${why.client}: ${why.reason}\n  ${why.text}\n`);
      if (why.fix !== '') print(`  Fix: ${why.fix}\n`);
      if (why.unknown !== null) print(`  Unknown: ${why.unknown}\n`);
    }
  });
}
