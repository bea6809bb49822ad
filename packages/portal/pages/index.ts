/** The pages of the portal. */

import type { Html } from '../../../server/base/pages/html.ts';
import type { PortalAction, PortalFrame, PortalOutcome, PortalPage, PortalRequest } from '../request.ts';
import { showAccess } from './access.ts';
import { showActivity } from './activity.ts';
import { listWaiting } from './api.ts';
import { openApproval, openGrant, showApprovals } from './approvals.ts';
import { mintCode, revokeGrant, showClient, showClients } from './clients.ts';
import { frameOf, type PortalSection, SECTIONS } from './frame.ts';
import { connectService, finishConnect, removeService, renameAccount, showServices } from './services.ts';

/** What an application adds to the portal's own pages, such as the demo. */
export interface PortalExtras {
  /** Pages for signed-in people. */
  readonly pages: readonly PortalPage[];
  /** Their entries in the navigation, the last ones. */
  readonly sections: readonly PortalSection[];
  /** Shown on the page of services. Null: nothing. */
  readonly servicesNote: Html | null;
}

const NO_EXTRAS: PortalExtras = { pages: [], sections: [], servicesNote: null };

/** Creates the table of pages. Each page has the frame with the number of calls that wait. */
export function createPages({ pages, sections, servicesNote }: PortalExtras = NO_EXTRAS): readonly PortalPage[] {
  const showStart = (request: PortalRequest) => showServices(request, servicesNote);
  const all: readonly PortalPage[] = [
    { method: 'GET', path: '/', handle: showStart },
    { method: 'GET', path: '/services', handle: showStart },
    { method: 'GET', path: '/services/connected', handle: finishConnect },
    { method: 'POST', path: '/services/connect', handle: connectService },
    { method: 'POST', path: '/services/remove', handle: removeService },
    { method: 'POST', path: '/services/rename', handle: renameAccount },
    { method: 'GET', path: '/clients', handle: showClients },
    { method: 'GET', path: '/clients/:client', handle: showClient },
    { method: 'POST', path: '/clients/:client', handle: mintCode },
    { method: 'POST', path: '/grants/:grant/revoke', handle: revokeGrant },
    { method: 'POST', path: '/grants/:grant/open', handle: openGrant },
    { method: 'GET', path: '/approvals', handle: showApprovals },
    { method: 'POST', path: '/approvals/open', handle: openApproval },
    { method: 'GET', path: '/activity', handle: showActivity },
    { method: 'GET', path: '/access', handle: showAccess },
    ...pages,
  ];
  const allSections = [...SECTIONS, ...sections];
  return all.map((page): PortalPage => {
    const { path } = page;
    if (page.method === 'GET') {
      const handle = (request: PortalRequest) => withFrame(request, page.handle(request), allSections);
      return { method: 'GET', path, handle };
    }
    const handle = (action: PortalAction) => withFrame(action, page.handle(action), allSections);
    return { method: 'POST', path, handle };
  });
}

async function withFrame(
  request: PortalRequest,
  answer: Promise<PortalOutcome> | PortalOutcome,
  sections: readonly PortalSection[],
): Promise<PortalOutcome> {
  const outcome = await answer;
  if (!('content' in outcome)) return outcome;
  const waiting = (await listWaiting(request)).length;
  return { ...outcome, layout: frameOf(request, { sections, waiting }) };
}

/** The frame of a page that no handler answers, such as an error. */
export const FRAME: PortalFrame = (request) => frameOf(request, { sections: SECTIONS, waiting: 0 });
