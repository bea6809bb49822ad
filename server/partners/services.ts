/** Route of the partner API for the services that the partner may offer: what they are, which credential they need, and their tools. */

import type Router from '@koa/router';
import type { Context } from 'koa';
import { kindsOf, oauth2PartOf, typeOf } from '../base/credentials/kinds.ts';
import { noStore } from '../base/http/no-store.ts';
import type { RequestState } from '../base/http/state.ts';
import { serviceLogoPathOf } from '../base/pages/brand.ts';
import { mayOffer, type Partner } from '../base/store/repositories/partners.ts';
import type { Catalogue } from '../call/tools/catalogue/catalogue.ts';
import { scopesToAskFor } from '../call/upstream/oauth/scopes.ts';
import type { Connector, CredentialKind, ToolFace } from '../contract/index.ts';
import { readPage, toPage } from './page.ts';

const SERVICE_NAME = /^[A-Za-z0-9_-]{1,100}$/;

/** @param partnerOf finds the partner that sends a request; throws when there is none. */
export function addServiceRoutes(
  router: Router<RequestState>,
  { catalogue, publicUrl }: { readonly catalogue: Catalogue; readonly publicUrl: string },
  partnerOf: (ctx: Context) => Promise<Partner>,
): void {
  router.get('/api/partner/services', noStore, async (ctx) => {
    const partner = await partnerOf(ctx);
    const { limit, after = '' } = readPage(new URLSearchParams(ctx.querystring), SERVICE_NAME);
    const offered = catalogue.connectors.filter(({ name }) => name > after && mayOffer(partner, name));
    const { shown, next } = toPage(offered, limit, ({ name }) => name);
    ctx.body = { services: shown.map((connector) => toServiceView(connector, catalogue, publicUrl)), next };
  });
}

function toServiceView(connector: Connector, catalogue: Catalogue, publicUrl: string): object {
  const { name, title, description, categories, credential } = connector;
  const logoPath = serviceLogoPathOf(connector);
  const served = catalogue.toolsOf(connector);
  return {
    service: name,
    title,
    description,
    logo_text: toLogoText(title),
    logo_url: logoPath === null ? null : publicUrl + logoPath,
    categories,
    credentials: kindsOf(credential).map((kind) => toKindView(kind, served)),
    tools: served.map(toToolView),
  };
}

function toKindView(kind: CredentialKind, tools: readonly ToolFace[]): object {
  const oauth2 = oauth2PartOf(kind)?.oauth2;
  const { label, help, url } = kind;
  return {
    label,
    type: typeOf(kind),
    help,
    url,
    scopes: oauth2 === undefined ? null : scopesToAskFor({ tools }, oauth2),
  };
}

function toToolView({ name, title, description, annotations, scopes = [] }: ToolFace): object {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations;
  return {
    name,
    title,
    description,
    hints: {
      read_only: readOnlyHint,
      destructive: destructiveHint,
      idempotent: idempotentHint,
      open_world: openWorldHint,
    },
    scopes,
  };
}

/** Initials of the first three words of a title. */
function toLogoText(title: string): string {
  const words = title.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  return words
    .slice(0, 3)
    .map((word) => [...word][0]?.toUpperCase())
    .join('');
}
