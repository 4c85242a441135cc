// The keys of a page that has others than a check's: what `?` lists while it is shown.

export const pageKeys = $state<{ list: (() => [string, string][]) | null }>({ list: null });
