/** One partner, and what an operator can do with it: change settings and secrets, suspend, resume, remove. */

import { ADMIN_PATH, noSuchPage, type RenderedPage } from '../../../base/dashboard/pages.ts';
import { counted, figure, moment, untrusted } from '../../../base/dashboard/parts.ts';
import { alert } from '../../../base/pages/components.ts';
import { type Html, html } from '../../../base/pages/html.ts';
import { testClientId } from '../../../base/realm.ts';
import { countConnectionsOfPartner } from '../../../base/store/reports/overview.ts';
import { countAccess } from '../../../base/store/repositories/live-access.ts';
import { listPartnerSecrets, MAX_LIVE_PARTNER_SECRETS } from '../../../base/store/repositories/partner-secrets.ts';
import { findPartner, findTestPartner, type Partner } from '../../../base/store/repositories/partners.ts';
import { countUsers } from '../../../base/store/repositories/users.ts';
import { PARTNER_RULE_TEXTS, PARTNER_RULES } from '../../../call/tools/approvals/policy.ts';
import {
  endPartnerSecret,
  removePartner,
  resumePartner,
  suspendPartner,
} from '../../../identity/partners/lifecycle.ts';
import { changePartner, rotatePartnerSecret } from '../../../identity/partners/manage.ts';
import { parsePartnerSettings, type TypedPartnerSettings } from '../../../identity/partners/settings.ts';
import { issueTestSecret, testSecretProblem } from '../../../identity/partners/test-partner.ts';
import type { AdminAction, AdminActionOn, AdminPage } from '../context.ts';
import { partnerContent } from './partner-content.ts';
import { credentials, problemOf } from './partners.ts';

/** Users that one request removes at most, which takes a few seconds. */
const MAX_USERS_PER_REQUEST = 1000;

const CHANGE: AdminActionOn<Partner> = {
  path: '',
  async run(action, partner) {
    const { deps, commit, event } = action;
    const typed = typedSettings(action);
    const services = deps.catalogue.connectors.map(({ name }) => name);
    try {
      const changes = parsePartnerSettings(typed, services);
      await commit((transaction) => changePartner(transaction, partner.id, changes, event));
      return 'changed';
    } catch (error) {
      const notice = alert('Nothing was changed', problemOf(error));
      return { ...(await partnerContent(action, partner, notice, typed)), status: 400 };
    }
  },
  done: { changed: 'The settings were changed.' },
};

/** Sets the approvals of calls. Asks first if users would approve less than now. */
const SET_APPROVALS: AdminActionOn<Partner> = {
  path: '/approvals',
  async ask({ form }, { name, approvals }) {
    const selectedApprovals = form.getAll('approvals');
    const removedApprovals = PARTNER_RULES.filter(
      (kind) => approvals?.includes(kind) && !selectedApprovals.includes(kind),
    );
    if (removedApprovals.length === 0) return null;
    return {
      title: 'Have users approve less?',
      losses: [
        html`Users of ${untrusted(name)} no longer have to approve these calls, unless another rule says so.`,
        ...removedApprovals.map((kind) => `${PARTNER_RULE_TEXTS[kind]}.`),
      ],
      button: 'Change the rule',
    };
  },
  async run({ form, commit, event }, { id }) {
    const { approvals } = parsePartnerSettings({ approvals: form.getAll('approvals') }, []);
    await commit((transaction) => changePartner(transaction, id, { approvals: approvals ?? null }, event));
    return 'ruled';
  },
  done: { ruled: 'The rule about approvals was changed.' },
};

/** Adds a secret, and shows it once. Asks first if other secrets are to be revoked or there is no room for another. */
const ADD_SECRET: AdminActionOn<Partner> = {
  path: '/secrets',
  async ask({ deps, field }, partner) {
    const { length } = await listPartnerSecrets(deps.db, partner.id);
    const revokedCount = field('end_others') === 'yes' ? length : Math.max(0, length + 1 - MAX_LIVE_PARTNER_SECRETS);
    if (revokedCount === 0) return null;
    return {
      title: 'Create another secret and revoke others?',
      losses: [
        html`${counted(revokedCount, 'secret')} of ${untrusted(partner.name)}, of ${figure(length)} valid ones, the oldest first. The application is refused at once if it still uses one of them.`,
      ],
      button: 'Create another secret',
    };
  },
  async run(action, partner) {
    if (partner.realm === 'test') return addTestSecret(action, partner);
    const options = { partnerId: partner.id, endOthers: action.field('end_others') === 'yes' };
    const secret = await action.commit((transaction) => rotatePartnerSecret(transaction, options, action.event));
    return partnerContent(action, partner, credentials(partner.clientId, secret));
  },
};

/**
 * Adds the first secret for test mode. Once there is a test partner, it redirects to that partner's page, whose form asks before it replaces a
 * secret.
 */
const ADD_TEST_SECRET: AdminActionOn<Partner> = {
  path: '/test-secret',
  async run(action, partner) {
    const testPartner = await findTestPartner(action.deps.db, partner.id);
    return testPartner === undefined
      ? addTestSecret(action, partner)
      : { redirect: `${ADMIN_PATH}/partners/${testPartner.id}` };
  },
};

async function addTestSecret(action: AdminAction, partner: Partner): Promise<RenderedPage> {
  const { deps, commit, event, field } = action;
  const endOthers = field('end_others') === 'yes';
  const problem = testSecretProblem(partner, deps);
  const issueSecret = () => commit((transaction) => issueTestSecret(transaction, partner, endOthers, event));
  const secret = problem === null ? await issueSecret() : null;
  if (secret !== null) return partnerContent(action, partner, credentials(testClientId(partner.clientId), secret));
  const notice = alert('No test secret was created', problem ?? 'The live partner is suspended. Resume it first.');
  return { ...(await partnerContent(action, partner, notice)), status: 400 };
}

const REVOKE_SECRET: AdminActionOn<Partner> = {
  path: '/secrets/:secret/revoke',
  async ask({ deps, params }, partner) {
    const liveSecrets = await listPartnerSecrets(deps.db, partner.id);
    const secret = liveSecrets.find(({ id }) => id === params.secret);
    if (secret === undefined) return null;
    const remaining = liveSecrets.length - 1;
    return {
      title: 'Revoke this secret?',
      losses: [
        html`The secret of ${untrusted(partner.name)} created ${moment(secret.createdAt)}. The application is refused at once if it still uses it.`,
        remaining === 0
          ? 'It is the last valid one. The partner is suspended: its users are refused until you create another secret and resume it.'
          : `The partner then has ${counted(remaining, 'other valid secret')}.`,
      ],
      button: 'Revoke secret',
    };
  },
  async run({ params, commit, event }, partner) {
    const secret = { id: params.secret ?? '', partnerId: partner.id };
    await commit((transaction) => endPartnerSecret(transaction, secret, event));
    return 'revoked';
  },
  done: { revoked: 'The secret was revoked.' },
};

const SUSPEND: AdminActionOn<Partner> = {
  path: '/suspend',
  async ask({ deps }, { id, name }) {
    const users = await countUsers(deps.db, id);
    return {
      title: 'Suspend this partner?',
      losses: [
        html`The secrets of ${untrusted(name)} stop working, and calls, refreshes and sign-ins of ${counted(users, 'user')} are refused from the next request.`,
        'Nothing is revoked. When you resume the partner, everything that has not expired works again.',
      ],
      button: 'Suspend partner',
    };
  },
  async run({ commit, event }, { id }) {
    await commit((transaction) => suspendPartner(transaction, id, event));
    return 'suspended';
  },
  done: { suspended: 'The partner is suspended: its secrets no longer work, and its users are refused.' },
};

const RESUME: AdminActionOn<Partner> = {
  path: '/resume',
  async run(action, partner) {
    const { commit, deps, event } = action;
    const { id } = partner;
    const isDone = await commit((transaction) => resumePartner(transaction, id, event));
    if (isDone || (await listPartnerSecrets(deps.db, id)).length > 0) return 'resumed';
    const notice = alert(
      'The partner stays suspended',
      'It has no valid secret. Create another secret first, then resume it.',
    );
    return { ...(await partnerContent(action, partner, notice)), status: 400 };
  },
  done: { resumed: 'The partner is active again.' },
};

/** Removes the partner with its users. Of a large partner, one request removes some users, and the next continues. */
const REMOVE: AdminActionOn<Partner> = {
  path: '/remove',
  async ask({ deps, now }, { id, name }) {
    const users = await countUsers(deps.db, id);
    const connections = await countConnectionsOfPartner(deps.db, id);
    const { grants, tokens, codes } = await countAccess(deps.db, { partnerId: id }, now);
    const losses: (string | Html)[] = [
      html`The partner ${untrusted(name)} with its secrets, ${counted(users, 'user')}, and ${counted(connections, 'connection')} with their credentials.`,
      `${counted(grants, 'live grant')}, ${counted(tokens, 'minted token')} and ${counted(codes, 'connection code')}: clients get 401 at their next request.`,
      'The audit trail and call records stay, without names of users.',
    ];
    if (users > MAX_USERS_PER_REQUEST) {
      losses.push(
        `This request removes ${figure(MAX_USERS_PER_REQUEST)} of the users, and suspends the partner. Remove it again to continue.`,
      );
    }
    return { title: 'Remove this partner permanently?', losses, button: 'Remove partner' };
  },
  async run({ deps, event }, { id }) {
    const removal = await removePartner(deps.db, id, event, {
      maxUsers: MAX_USERS_PER_REQUEST,
      revokeAfter: (users, remove) => {
        const owners = users.map((user) => ({ userId: user.id }));
        return deps.revocations.after(owners, remove);
      },
    });
    return removal !== null && removal.left > 0 ? 'begun' : { redirect: `${ADMIN_PATH}/partners?done=removed` };
  },
  done: {
    begun:
      'The partner is suspended and some of its users are removed. Remove it again to continue, or remove the rest at once with utg partner remove.',
  },
};

export const PARTNER: AdminPage<Partner> = {
  path: '/partners/:id',
  section: '/partners',
  async find({ deps, params }) {
    const partner = await findPartner(deps.db, params.id ?? '');
    if (partner !== undefined) return partner;
    const advice = html`Choose one in the <a href="${ADMIN_PATH}/partners">list of partners</a>.`;
    throw noSuchPage('partner', 'There is no partner under this address.', advice);
  },
  show: partnerContent,
  actions: [CHANGE, SET_APPROVALS, ADD_SECRET, ADD_TEST_SECRET, REVOKE_SECRET, SUSPEND, RESUME, REMOVE],
};

function typedSettings({ form, field }: AdminAction): TypedPartnerSettings {
  return {
    name: field('name') ?? '',
    redirectUris: (field('redirect_uris') ?? '').split(/\s+/),
    connectUri: field('connect_uri') ?? '',
    logoText: field('logo_text') ?? '',
    services: field('all_services') === 'yes' ? null : form.getAll('services'),
    plainLinks: field('plain_links') === 'yes',
    ownerSharing: field('owner_sharing') === 'yes',
  };
}
