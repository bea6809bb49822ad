/** The rules that limit the calls of a tool, on its page. */

import { ADMIN_PATH } from '../../../../base/dashboard/pages.ts';
import { figure, table } from '../../../../base/dashboard/parts.ts';
import { type Html, html } from '../../../../base/pages/html.ts';
import { listHighestCounts } from '../../../../base/store/repositories/limits/call-counts.ts';
import { listPartnersWithCallLimits } from '../../../../base/store/repositories/partners.ts';
import type { LimitedEntry } from '../../../../call/tools/catalogue/call-rules.ts';
import type { AdminRequest } from '../../context.ts';

const MAX_PARTNERS = 50;

export async function limitsSection({ deps, now }: AdminRequest, entry: LimitedEntry): Promise<Html> {
  const { db, callRules } = deps;
  const partners = await listPartnersWithCallLimits(db, MAX_PARTNERS);
  const rows = [
    ...callRules.find({}, entry).map((rule) => ({ rule, partner: null })),
    ...partners.flatMap((partner) =>
      callRules
        .find({ callLimits: partner.callLimits?.join(',') ?? null }, entry)
        .filter(({ text }) => partner.callLimits?.includes(text))
        .map((rule) => ({ rule, partner })),
    ),
  ];
  const counts = await listHighestCounts(
    db,
    rows.map(({ rule }) => rule.id),
    now,
  );
  const usedBy = ({ rule, partner }: (typeof rows)[number]) =>
    counts
      .filter((count) => count.rule === rule.id && (partner === null || partner.id === count.partnerId))
      .reduce((highest, { calls }) => Math.max(highest, calls), 0);
  return html`<h2>Limits <small class="quiet">Windows begin at full minutes, hours and days (UTC)</small></h2>
${table(rows, {
  caption: 'Limits',
  columns: {
    Rule: ({ rule }) => html`<code>${rule.text}</code>`,
    'Set by': ({ partner }) =>
      partner === null ? 'the operator' : html`<a href="${ADMIN_PATH}/partners/${partner.id}">${partner.name}</a>`,
    'Used now, at most': ['number', (row) => html`${figure(usedBy(row))} of ${figure(row.rule.calls)}`],
  },
  empty: 'No rule of CALL_LIMITS or of a partner limits its calls.',
})}`;
}
