/** What every page of the dashboard receives, and what it returns. */

import type { EncryptionKey } from '../../base/credentials/index.ts';
import type { Outgoing } from '../../base/guarded-fetch/outgoing.ts';
import type { GatewayContext } from '../../base/http/state.ts';
import type { Limits } from '../../base/limits/index.ts';
import type { Html } from '../../base/pages/html.ts';
import type { Catalogue } from '../../call/tools/catalogue/catalogue.ts';
import type { ToolProvider } from '../../call/tools/provider.ts';
import type { Circuits } from '../../call/upstream/circuits/index.ts';
import type { Revocations } from '../../call/upstream/oauth/revocation.ts';
import type { CurrentSession, SessionDependencies } from './sessions.ts';

/** Path of the dashboard. */
export const ADMIN_PATH = '/admin';

/** What the dashboard needs. */
export interface AdminDependencies extends SessionDependencies {
  /** The gateway's resource indicator, which is also the address of its MCP endpoint. */
  readonly resource: string;
  /** The key ring; its first key seals the state of the sign-in form. */
  readonly keys: readonly EncryptionKey[];
  readonly catalogue: Catalogue;
  readonly revocations: Pick<Revocations, 'after'>;
  readonly tools: ToolProvider;
  readonly outgoing: Outgoing;
  /** Creates the limits. Default: those of this process. */
  readonly limits?: Limits;
  readonly circuits: Pick<Circuits, 'list'>;
  /** Absolute base URLs by server name, by service. */
  readonly baseUrls: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

/** A request of a signed-in operator. */
export interface OperatorRequest {
  readonly ctx: GatewayContext;
  readonly deps: AdminDependencies;
  /** Milliseconds since 1970; one value for the whole request. */
  readonly now: number;
  /** Who sent it. */
  readonly session: CurrentSession;
  /** Whether the operator may act. If not, pages have no forms and nothing that belongs to them. */
  readonly mayAct: boolean;
  /** The `csrf` value of every form of the page. */
  readonly csrf: string;
  /** Segments of the path, decoded. */
  readonly params: Readonly<Record<string, string | undefined>>;
  /** A parameter of the query, trimmed; null where it is missing or empty. */
  query(name: string): string | null;
}

/** A form that an operator sent. */
export interface OperatorAction extends OperatorRequest {
  readonly form: URLSearchParams;
  /** A field, trimmed; null where it is missing or empty. */
  field(name: string): string | null;
}

/** The sections of the dashboard, in the order of its menu. */
export const SECTIONS = [
  ['', 'Overview'],
  ['/calls', 'Calls'],
  ['/partners', 'Partners'],
  ['/users', 'Users'],
  ['/connections', 'Connections'],
  ['/tools', 'Tools'],
  ['/upstreams', 'Upstreams'],
  ['/clients', 'Clients'],
  ['/grants', 'Grants'],
  ['/audit', 'Audit trail'],
  ['/operators', 'Operators'],
] as const;

export type Section = (typeof SECTIONS)[number][0];

/** One page of the dashboard. */
export interface AdminPage {
  readonly title: string;
  readonly section: Section;
  readonly content: Html;
  /** HTTP status. Default 200. */
  readonly status?: number;
}

/** The result of a request: a page, or a redirect to another address of the dashboard (303). */
export type Outcome = AdminPage | { readonly redirect: string };
