/**
 * The parts of the dashboard as data: pages, the actions of operators, and the questions before them. The dashboard declares its own pages in this
 * form, and so does a module that adds to them.
 */

import type { ToolFace } from '../../contract/index.ts';
import type { RequestOrigin } from '../http/request-origin.ts';
import type { GatewayContext } from '../http/state.ts';
import type { Html } from '../pages/html.ts';
import { PageError } from '../pages/page-errors.ts';
import type { Partner } from '../store/repositories/partners.ts';
import type { User } from '../store/repositories/users.ts';
import type { Executor } from '../store/schema.ts';

/** Path of the dashboard. */
export const ADMIN_PATH = '/admin';

/** Roles of operators: to view everything, or also to make changes. */
export const OPERATOR_ROLES = ['look', 'act'] as const;

export type OperatorRole = (typeof OPERATOR_ROLES)[number];

/** The session of an operator who signed in. */
export interface OperatorSession {
  readonly id: string;
  /** As the audit trail names the operator. */
  readonly name: string;
  /** For a named operator the current role, for others the role at sign-in. */
  readonly role: OperatorRole;
  /** IP address of the sign-in. */
  readonly address: string;
  /** Milliseconds since 1970, as all times here. */
  readonly createdAt: number;
  readonly usedAt: number;
}

/** A session that is valid now, with the CSRF value of its forms. */
export type CurrentSession = OperatorSession & { readonly csrf: string };

/** A request of a signed-in operator. `Deps`: what the page works with. */
export interface OperatorRequest<Deps = unknown> {
  readonly ctx: GatewayContext;
  readonly deps: Deps;
  /** Milliseconds since 1970; one value for the whole request. */
  readonly now: number;
  /** The session of the operator who sent it. */
  readonly session: CurrentSession;
  /** True if the operator may act. If not, pages have no forms and nothing that belongs to them. */
  readonly mayAct: boolean;
  /** The `csrf` value of every form of the page. */
  readonly csrf: string;
  /** Segments of the path, decoded. */
  readonly params: Readonly<Record<string, string | undefined>>;
  /** A parameter of the query, trimmed; null where it is missing or empty. */
  query(name: string): string | null;
}

/** A form that an operator sent. */
export interface OperatorAction<Deps = unknown> extends OperatorRequest<Deps> {
  readonly form: URLSearchParams;
  /** Time, origin and operator of a change, for events. */
  readonly event: RequestOrigin & { readonly now: number };
  /** A field, trimmed; null where it is missing or empty. */
  field(name: string): string | null;
  /** Runs `work` in a transaction. */
  commit<Result>(work: (transaction: Executor) => Promise<Result>): Promise<Result>;
}

/** A page, or the answer to an action. */
export interface RenderedPage {
  readonly title: string;
  readonly content: Html;
  /** HTTP status. Default 200. */
  readonly status?: number;
  /** A script that runs after that of the dashboard, and may read from the dashboard. The page must work without it. Default: none. */
  readonly script?: string | undefined;
}

/** The result of a request: a page, or a redirect to another address of the dashboard (303). */
export type Outcome = RenderedPage | { readonly redirect: string };

/** The question before something is lost. */
export interface Question {
  /** For example `Remove the client Helper?`. */
  readonly title: string;
  /** Losses, with numbers, one sentence each. */
  readonly losses: readonly (string | Html)[];
  /** Label of the button, such as `Remove client`. */
  readonly button: string;
  /** Address to which cancelling leads. Default: the page of the action. */
  readonly back?: string;
}

/** Something that an operator may do on a page, if the role allows it. */
export interface Action<Subject = null, Deps = unknown> {
  /** Path to which its form is sent, below the address of the page, such as `/suspend`. */
  readonly path: string;
  /** Asks first, before anything is changed. Null, and by default: nothing would be lost, so nothing is asked. */
  ask?(action: OperatorAction<Deps>, subject: Subject): Promise<Question | null>;
  /** @returns which notice of `done` the page shows afterwards; or another result. */
  run(action: OperatorAction<Deps>, subject: Subject): Promise<string | Outcome>;
  /** Notices that the page shows afterwards, by the name in its address. */
  readonly done?: Readonly<Record<string, string>>;
  /** The part of the page where one arrives afterwards. Default: its top. */
  readonly anchor?: string;
}

/** The groups of the menu, in its order. */
export const MENU_GROUPS = ['Activity', 'Access', 'Catalogue', 'System'] as const;

export type MenuGroup = (typeof MENU_GROUPS)[number];

/** One page of the dashboard. */
export interface Page<Subject = null, Deps = unknown> {
  /** Below `ADMIN_PATH`. */
  readonly path: string;
  /** Path of its entry in the menu. Default: its own. */
  readonly section?: string;
  /** Its own entry in the menu, if a module adds one. */
  readonly menu?: string;
  /** The group of that entry. Default `System`. */
  readonly menuGroup?: MenuGroup;
  /** Finds what the page is about. Default: it is about nothing in particular. @throws {PageError} 404. */
  find?(request: OperatorRequest<Deps>): Promise<Subject>;
  /** @param notice what was just done, or null. */
  show(request: OperatorRequest<Deps>, subject: Subject, notice: Html | null): Promise<RenderedPage>;
  readonly actions?: readonly Action<Subject, Deps>[];
  /** Notices after actions of other pages, by the name in its address. */
  readonly done?: Readonly<Record<string, string>>;
}

/** Sections and actions that a module adds to one kind of page. */
export interface PageParts<Subject> {
  /** Returns a section for the end of the page, before forms that suspend or remove. Null for none. */
  section?(request: OperatorRequest, subject: Subject): Promise<Html | null>;
  readonly actions?: readonly Action<Subject>[];
}

/** The pages to which modules add, and what each is about. */
export interface ExtendedPages {
  readonly overview: null;
  readonly partner: Partner;
  readonly user: User;
  /** Sections only. */
  readonly tool: ToolFace;
}

/** Pages that a module adds to the dashboard, and additions to other pages. */
export type DashboardParts = { readonly [Kind in keyof ExtendedPages]?: PageParts<ExtendedPages[Kind]> } & {
  readonly pages?: readonly Page[];
  readonly trail?: Trail;
};

/** The audit trail, if a module keeps one. */
export interface Trail {
  /** The address of its page. Parameters: `user` and `partner` (row ids), `client` (`client_id`), `q` (any text). */
  readonly path: string;
  /** The newest `limit` events of a user (row id), newest first; with `oldest`, the oldest ones. Times in milliseconds since 1970. */
  eventsOf(
    userId: string,
    span: { readonly since?: number; readonly until?: number; readonly oldest?: boolean },
    limit: number,
  ): Promise<readonly TrailEvent[]>;
}

/** One event of the trail. */
export interface TrailEvent {
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly type: string;
  readonly clientId: string | null;
  readonly clientName: string | null;
  readonly address: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Returns the error for an address that names nothing. */
export function noSuchPage(what: string, text: string, advice: string | Html): PageError {
  return new PageError(404, { title: `No such ${what}`, text, advice });
}
