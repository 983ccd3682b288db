// list
