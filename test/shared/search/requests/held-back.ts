/**
 * Requests that were written before any ranking existed. Those of the five connectors have since been used for tuning.
 */

import type { SearchRequest } from './request.ts';

export const HELD_BACK_OWN: readonly SearchRequest[] = [
  ['pull up the invoices for customer 42', 'billing_list_invoices'],
  ['do we have a client with this ingest alias', 'billing_list_customers'],
  ['who works with us, list contacts in Affinity', 'crm_list_persons'],
  ['fetch a single opportunity', 'crm_get_opportunity'],
  ['all entries in a list with their field values', 'crm_list_list_entries'],
  ['is this firm on any list', 'crm_list_company_lists'],
  ['open high low close prices for TSLA', 'datatable_get_end_of_day_quote'],
  ['describe the SHARADAR/SF1 table', 'datatable_get_datatable_metadata'],
  ['stop emailing this person', 'mailer_update_contact'],
  ['erase a subscriber for good', 'mailer_delete_contact'],
  ['show the members of an email list', 'mailer_list_contacts'],
  ['upload a pdf from a link', 'retrieval_create_document_from_url'],
  ['ask a question about my files', 'retrieval_retrieve'],
  ['remove metadata keys from a document', 'retrieval_patch_document_metadata'],
  ['set quota of a partition', 'retrieval_set_partition_limits'],
];

export const HELD_BACK_GITHUB: readonly SearchRequest[] = [
  ['show me the open PRs of this repo', 'github_pulls_list'],
  ['get details of one issue', 'github_issues_get'],
  ['edit an issue title', 'github_issues_update'],
  ['see the comments on an issue', 'github_issues_list_comments'],
  ['delete a branch', 'github_git_delete_ref'],
  ['get a commit', 'github_repos_get_commit', 'github_git_get_commit'],
  ['list my repositories', 'github_repos_list_for_authenticated_user'],
  ['repos of an organization', 'github_repos_list_for_org'],
  ['show tags of a repo', 'github_repos_list_tags'],
  ['remove a collaborator from a repository', 'github_repos_remove_collaborator'],
  ['list releases', 'github_repos_list_releases'],
  ['jobs of a workflow run', 'github_actions_list_jobs_workflow_run'],
  ['unstar a repo', 'github_activity_unstar_repo_authed_user'],
  ['look up a user by username', 'github_users_get_by_username'],
  ['code scanning alerts', 'github_code_scanning_list_alerts_repo', 'github_code_scanning_list_alerts_for_org'],
  ['add a deploy key', 'github_repos_create_deploy_key'],
  ['check the status of a commit', 'github_repos_get_combined_status_for_ref'],
];

export const HELD_BACK_STRIPE: readonly SearchRequest[] = [
  ['show a single charge', 'stripe_get_charge'],
  ['retrieve an invoice', 'stripe_get_invoice'],
  ['pay an invoice', 'stripe_post_invoice_pay'],
  ['all products', 'stripe_list_products'],
  ['close a dispute', 'stripe_post_dispute_close'],
  ['resume a paused subscription', 'stripe_post_subscription_resume'],
  ['transfer funds to a connected account', 'stripe_create_transfer'],
  ['attach a card to a customer', 'stripe_post_payment_method_attach', 'stripe_create_customer_card'],
];
