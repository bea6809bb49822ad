/** `/tools`: every tool that the gateway serves, public and searchable. The pages work without a script. */

import Router from '@koa/router';
import { countUse, createAddressLimiter, rateLimit } from '../../../base/http/caller-limits.ts';
import type { GatewayContext, RequestState } from '../../../base/http/state.ts';
import { type PublicText, sendPublicText } from '../../../base/pages/etag.ts';
import { toPublicPage } from '../../../base/pages/page.ts';
import { PageError, pageErrors } from '../../../base/pages/page-errors.ts';
import type { CatalogueEntry } from '../../../call/tools/catalogue/catalogue.ts';
import type { LandingContext } from '../context.ts';
import { foundPage, overviewPage, readPageNumber, readWords, servicePage } from './lists.ts';
import { servicePath, TOOLS_PATH, toolPath } from './parts.ts';
import { toolPage } from './tool.ts';

/** Page requests of one address per minute. */
const REQUESTS_PER_MINUTE = 240;
/** Searches among them: each scans all tools. */
const SEARCHES_PER_MINUTE = 60;

/** Of rendered pages that are kept. */
const MAX_CHARACTERS = 8 * 1024 * 1024;

/** Creates the routes. They show only the catalogue, which holds no credential and no data of a user or partner. */
export function createToolPagesRouter({ catalogue, limits, tryPath }: LandingContext): Router<RequestState> {
  const limiterOf = (name: string, points: number) =>
    createAddressLimiter(limits.reconciled, { name, points, durationSeconds: 60 });
  const limit = rateLimit(limiterOf('tool-pages', REQUESTS_PER_MINUTE), (ctx) => ctx.ip);
  const searches = limiterOf('tool-searches', SEARCHES_PER_MINUTE);
  const keep = createKeptPages();
  const router = new Router<RequestState>({ prefix: TOOLS_PATH });
  const get = (path: string, show: (ctx: PageContext) => Promise<void> | void): void => {
    router.get(path, pageErrors(), limit, (ctx) => show(ctx as unknown as PageContext));
  };

  get('/', async (ctx) => {
    const query = new URLSearchParams(ctx.querystring);
    const words = readWords(query.get('q'));
    if (words === '')
      return sendPublicText(
        ctx,
        keep(TOOLS_PATH, () => toPublicPage(overviewPage(catalogue))),
      );
    await countUse(searches, ctx.ip);
    const service = catalogue.findConnector(query.get('service') ?? '') ?? null;
    sendPublicText(ctx, toPublicPage(await foundPage(catalogue, words, service)));
  });

  get('/:service', (ctx) => {
    const connector = catalogue.findConnector(ctx.params.service ?? '');
    if (connector === undefined) throw notFound('service');
    const asked = new URLSearchParams(ctx.querystring).get('page');
    const number = readPageNumber(asked, catalogue.toolsOf(connector).length);
    const address = `${servicePath(connector.name)}?page=${number}`;
    sendPublicText(
      ctx,
      keep(address, () => toPublicPage(servicePage(connector, catalogue, number))),
    );
  });

  get('/:service/:tool', (ctx) => {
    const entry = catalogue.find(ctx.params.tool ?? '');
    if (entry === undefined || entry.connector.name !== ctx.params.service) throw notFound('tool');
    const { connector, tool, alias } = entry;
    const address = toolPath(connector.name, tool.name);
    if (alias !== undefined) return ctx.redirect(address);
    sendPublicText(
      ctx,
      keep(address, () => toPublicPage(toolPage(entry, tryPathOf(entry)))),
    );
  });

  const tryPathOf = ({ tool }: CatalogueEntry) =>
    tryPath === null ? null : `${tryPath}/${encodeURIComponent(tool.name)}`;

  return router;
}

type PageContext = GatewayContext & { readonly params: Readonly<Record<string, string>> };

function notFound(what: 'service' | 'tool'): PageError {
  return new PageError(404, {
    title: `No such ${what}`,
    text: `This gateway serves no ${what} of this name.`,
    advice: `Look for it in the list of tools, at ${TOOLS_PATH}.`,
  });
}

/** Returns the page of an address, or builds it. The least recently used pages are dropped. */
type KeptPages = (address: string, build: () => PublicText) => PublicText;

/** @param maxCharacters of all cached pages. Default: 8 Mi. */
export function createKeptPages(maxCharacters = MAX_CHARACTERS): KeptPages {
  const kept = new Map<string, PublicText>();
  let characters = 0;
  return (address, build) => {
    const found = kept.get(address);
    const page = found ?? build();
    if (found === undefined) characters += page.text.length;
    kept.delete(address);
    kept.set(address, page);
    for (const [oldest, { text }] of kept) {
      if (characters <= maxCharacters || kept.size === 1) break;
      kept.delete(oldest);
      characters -= text.length;
    }
    return page;
  };
}
