/** `/tools`: every tool that the gateway serves, public and searchable. The pages work without a script. */

import Router from '@koa/router';
import { countUse, createAddressLimiter, rateLimit } from '../../../base/http/caller-limits.ts';
import type { GatewayContext, RequestState } from '../../../base/http/state.ts';
import { type PublicText, sendPublicText } from '../../../base/pages/etag.ts';
import { type Page, toPublicPage } from '../../../base/pages/page.ts';
import { PageError, pageErrors } from '../../../base/pages/page-errors.ts';
import type { LandingContext } from '../context.ts';
import { overviewPage, readPageNumber, readWords, searchResultsPage, servicePage } from './lists.ts';
import { servicePath, TOOLS_PATH, toolPath } from './parts.ts';
import { toolPage } from './tool.ts';

/** Page requests of one address per minute. */
const REQUESTS_PER_MINUTE = 240;
/** Searches among them: each scans all tools. */
const SEARCHES_PER_MINUTE = 60;

/** Characters of cached pages. */
const MAX_CHARACTERS = 8 * 1024 * 1024;

/** Creates the routes. They show only the catalogue, which holds no credential and no data of a user or partner. */
export function createToolPagesRouter({ catalogue, limits, tryPath }: LandingContext): Router<RequestState> {
  const limiterOf = (name: string, points: number) =>
    createAddressLimiter(limits.reconciled, { name, points, durationSeconds: 60 });
  const limit = rateLimit(limiterOf('tool-pages', REQUESTS_PER_MINUTE), (ctx) => ctx.ip);
  const searches = limiterOf('tool-searches', SEARCHES_PER_MINUTE);
  const cache = createPageCache();
  const router = new Router<RequestState>({ prefix: TOOLS_PATH });
  router.use(pageErrors());

  router.get('/', limit, async (routed) => {
    const ctx = routed as unknown as PageContext;
    const query = new URLSearchParams(ctx.querystring);
    const words = readWords(query.get('q'));
    if (words === '')
      return sendPublicText(
        ctx,
        cache(TOOLS_PATH, () => overviewPage(catalogue)),
      );
    await countUse(searches, ctx.ip);
    const service = catalogue.findConnector(query.get('service') ?? '') ?? null;
    sendPublicText(ctx, toPublicPage(await searchResultsPage(catalogue, words, service)));
  });

  router.get('/:service', limit, (routed) => {
    const ctx = routed as unknown as PageContext;
    const connector = catalogue.findConnector(ctx.params.service ?? '');
    if (connector === undefined) throw notFound('service');
    const page = new URLSearchParams(ctx.querystring).get('page');
    const number = readPageNumber(page, catalogue.toolsOf(connector).length);
    const address = `${servicePath(connector.name)}?page=${number}`;
    sendPublicText(
      ctx,
      cache(address, () => servicePage(connector, catalogue, number)),
    );
  });

  router.get('/:service/:tool', limit, (routed) => {
    const ctx = routed as unknown as PageContext;
    const entry = catalogue.find(ctx.params.tool ?? '');
    if (entry === undefined || entry.connector.name !== ctx.params.service) throw notFound('tool');
    const { connector, tool, alias } = entry;
    const address = toolPath(connector.name, tool.name);
    if (alias !== undefined) return ctx.redirect(address);
    const tryToolPath = tryPath === null ? null : `${tryPath}/${encodeURIComponent(tool.name)}`;
    sendPublicText(
      ctx,
      cache(address, () => toolPage(entry, tryToolPath)),
    );
  });

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
type PageCache = (address: string, build: () => Page) => PublicText;

/** @param maxCharacters of all cached pages. Default: 8 Mi. */
export function createPageCache(maxCharacters = MAX_CHARACTERS): PageCache {
  const pages = new Map<string, PublicText>();
  let characters = 0;
  return (address, build) => {
    const cached = pages.get(address);
    const page = cached ?? toPublicPage(build());
    if (cached === undefined) characters += page.text.length;
    pages.delete(address);
    pages.set(address, page);
    for (const [oldest, { text }] of pages) {
      if (characters <= maxCharacters || pages.size === 1) break;
      pages.delete(oldest);
      characters -= text.length;
    }
    return page;
  };
}
