// Shortcuts of a page that differ from those of a check, for `?` to list while the page is shown.

export const pageKeys = $state<{ list: (() => [string, string][]) | null }>({ list: null });
