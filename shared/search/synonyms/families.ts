/** Families of words: any of one may stand for any other. */

/** Each line: spellings and short forms of one word. */
export const SPELLINGS = `
repository repo
organization organisation org
application app
configuration config
document doc
environment env
authentication auth authenticate
authorization authorisation authorize authorise
administrator admin
message msg
image img
photo pic picture
information info
directory dir
database db
parameter param
specification spec
statistic stat
identifier id
favorite favourite
color colour
catalog catalogue
canceled cancelled
license licence
program programme
center centre
label labelled
development dev
production prod
reference ref
kubernetes k8s
certificate cert
temporary temp
maximum max
minimum min
average avg
quantity qty
number num
amount amt
transaction txn
account acct
invoice inv
address addr
subscription sub
notification notif
variable var
package pkg
`;

/** Each line: things of which one may be meant by another. */
export const THINGS = `
person people user human colleague someone everyone individual developer
user account member profile
teammate colleague coworker member
member membership participant attendee
collaborator contributor member
company organization firm business corporation enterprise startup vendor
customer client buyer consumer shopper
owner holder author creator
file document attachment asset
image photo picture screenshot thumbnail
setting configuration preference option
issue ticket bug defect problem case
subtask subissue child
task todo item
column field attribute property
row record entry item
table dataset sheet spreadsheet
invoice bill
payment charge transaction
payout withdrawal
refund reimbursement
price cost rate fee
discount coupon promotion promo voucher
order purchase
product item good sku merchandise
cart basket
stock inventory
shipment delivery parcel
limit quota cap throttle allowance
tag label
contact subscriber recipient audience
permission access right privilege role scope
access collaborator
build workflow ci pipeline run job
job task
usage consumption
summary abstract overview
folder directory
content text body
url link address
branch ref
history log activity timeline commit
change diff comparison revision
difference diff comparison
snippet gist code
vulnerability alert advisory security cve
dependency dependabot
leak exposed scanning
credential secret token key password
secret token key
webhook hook callback
package library module artifact
container docker image
reaction emoji like
blocked blocking dependency
finding alert result
referrer referral source
event activity
visitor view traffic visit
traffic view clone
comment remark reply response feedback
discussion thread conversation
message post chat
channel room conversation
notification alert
reminder alarm
meeting event appointment booking
calendar schedule agenda
machine server instance host node vm droplet
disk volume storage
backup snapshot
network vpc
domain dns zone hostname
database cluster
log record trace
metric measurement statistic
report analytics statistic insight
dashboard chart graph
deal opportunity
lead prospect
campaign mailing newsletter broadcast
template layout
segment audience
group team
goal target objective
milestone deadline
version release
release changelog
status state condition health
category type kind
question query
answer reply response
employee staff worker
salary pay wage
holiday leave vacation
location place address site
country region
language locale
currency exchange
balance fund
subscription plan
seat license
webpage page site
latest newest recent last
rule ruleset
project board
email mail
video clip recording
audio sound voice
song track
playlist queue
`;

/** Each line: what may be done by another verb. */
export const VERBS = `
get show fetch retrieve read view display see check find lookup give open detail inspect obtain grab
list show all every browse enumerate see view get pull
search find query lookup locate seek discover
create add make new insert register open start post save build generate setup write submit put define establish record file raise
update edit change modify set patch adjust alter replace rename post put move amend revise correct fix
delete remove drop erase destroy discard clear purge trash eliminate scrap wipe dismiss
remove kick expel evict detach unassign unlink take
revoke remove delete invalidate withdraw
cancel stop abort end terminate quit
pause suspend hold freeze
resume continue unpause restart
run trigger start dispatch launch execute
restart rerun retry reboot redo
send deliver mail email
download export save
upload import attach ingest
add import upload ingest store
add invite assign grant give attach
request ask
review approve
enable activate
disable deactivate
approve accept allow confirm
decline reject deny refuse dismiss
close end finish resolve complete
publish release create
transfer move migrate hand
merge combine join
compare diff
copy duplicate clone fork
rename change update
lock freeze
star bookmark favorite like
follow watch subscribe
unfollow unwatch unsubscribe
mark set flag update
set store save put create update replace
require enforce protect
restore undelete undo revert
share create publish
verify validate check test
count total
sync refresh synchronize reload
connect link integrate attach
disconnect unlink detach
schedule plan book
archive hide
restore recover undelete
pay charge settle
refund return reimburse
render preview
translate convert
`;

/** Each line: verbs that say the same of whatever is done to. */
export const SAME_VERBS = `
get retrieve fetch
update edit change modify
delete remove
cancel stop
enable activate
disable deactivate
`;
