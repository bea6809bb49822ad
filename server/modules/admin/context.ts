/** The dependencies of the dashboard, and the requests that its pages receive. */

import type { Kysely } from 'kysely';
import type {
  Action,
  DashboardParts,
  ExtendedPages,
  OperatorAction,
  OperatorRequest,
  Page,
  PageParts,
  Trail,
} from '../../base/dashboard/pages.ts';
import type { GatewayContext } from '../../base/http/state.ts';
import type { Limits } from '../../base/limits/index.ts';
import { type Html, html } from '../../base/pages/html.ts';
import type { Database } from '../../base/store/schema.ts';
import type { Core } from '../../module.ts';
import type { SignInSettings } from './settings.ts';

/** The context that all pages of the dashboard share. */
export interface AdminContext extends SignInSettings {
  readonly db: Kysely<Database>;
  /** The dashboard's origin, without a final slash. */
  readonly publicUrl: string;
  /** Keys of this module alone. */
  readonly keys: Core['keys'];
  /** The gateway's resource indicator. */
  readonly resource: string;
  readonly catalogue: Core['catalogue'];
  readonly tools: Core['tools'];
  readonly findWhy: Core['findWhy'];
  readonly revocations: Core['revocations'];
  readonly outgoing: Core['outgoing'];
  readonly circuits: Core['circuits'];
  readonly callRules: Core['callRules'];
  readonly limits: Limits;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Absolute base URLs by server name, by service. */
  readonly baseUrls: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Address of the sandbox of test mode. Null if there is no sandbox. */
  readonly testSandboxUrl: string | null;
  /** Pages and sections of other modules. */
  readonly parts: readonly DashboardParts[];
  /** The audit trail. Null if no module keeps one. */
  readonly trail: Trail | null;
  /** Days for which call records are kept. */
  readonly callRecordDays: number;
  /** Aborted once the gateway has begun to stop. */
  readonly stopping: AbortSignal;
}

export type AdminRequest = OperatorRequest<AdminContext>;
export type AdminAction = OperatorAction<AdminContext>;
export type AdminActionOn<Subject> = Action<Subject, AdminContext>;
export type AdminPage<Subject = null> = Page<Subject, AdminContext>;

/** Returns the title of a service, or its name if no connector has it. */
export function titleOf({ catalogue }: AdminContext, service: string): string {
  return catalogue.findConnector(service)?.title ?? service;
}

/** Returns the sections that other modules add to a page. */
export async function moduleSectionsOf<Kind extends keyof ExtendedPages>(
  kind: Kind,
  request: AdminRequest,
  subject: ExtendedPages[Kind],
): Promise<Html> {
  const sections: (Html | null)[] = [];
  for (const moduleParts of request.deps.parts) {
    const pageParts = moduleParts[kind] as PageParts<ExtendedPages[Kind]> | undefined;
    sections.push((await pageParts?.section?.(request, subject)) ?? null);
  }
  return html`${sections}`;
}

/** Returns the parameters of the query by name: trimmed, and null where one is missing or empty. */
export function queryOf(ctx: GatewayContext): (name: string) => string | null {
  const query = new URLSearchParams(ctx.querystring);
  return (name) => toText(query.get(name));
}

/** Returns the text without NUL, which the databases cannot store, and without spaces around it. Null if nothing is left. */
export function toText(value: string | null | undefined): string | null {
  const text = value?.replaceAll('\0', '').trim() ?? '';
  return text === '' ? null : text;
}
