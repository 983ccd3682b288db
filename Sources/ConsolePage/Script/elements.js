// elements
