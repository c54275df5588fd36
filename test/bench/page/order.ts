/** What is ordered in every run. */
export const ORDER = {
  item: 'book',
  amount: 42,
  address: 'Main Street 1',
  note: 'Leave it at the door.',
}
